import { expect, it } from 'vitest';
import { samplesOf } from './prometheus-text.ts';

const text = [
  '# HELP size_bytes_sum of bodies',
  '# TYPE size_bytes histogram',
  'size_bytes_bucket{resource="jobs",le="+Inf"} 3',
  'size_bytes_sum{group="batch",resource="jobs",verb="create"} 1.5e+03',
  'size_bytes_sum{group="",resource="a \\"quoted\\", one",verb="patch"} 7',
  'size_bytes_sum_of_others{resource="jobs"} 9',
  'wal_bytes_total 375016',
].join('\n');

it('reads the samples of one metric with their labels, and of no other whose name begins alike', () => {
  expect(samplesOf(text, 'size_bytes_sum')).toEqual([
    { labels: { group: 'batch', resource: 'jobs', verb: 'create' }, value: 1500 },
    { labels: { group: '', resource: 'a \\"quoted\\", one', verb: 'patch' }, value: 7 },
  ]);
});

it('reads a metric without labels, and none that is not there', () => {
  expect(samplesOf(text, 'wal_bytes_total')).toEqual([{ labels: {}, value: 375_016 }]);
  expect(samplesOf(text, 'wal_bytes')).toEqual([]);
});
