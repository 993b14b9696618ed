/** Jobs whose machine is gone, and its Pods with it. New Pods would wait for ever. */
import { expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { omit } from '#shared/domain/omit.ts';
import { at, daemonJob, job, snapshot, started } from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

/** Everything is recorded already, so that only the machine matters. */
const owner = daemonJob({ status: started({ a: 'Started', b: 'Started' }) });
const besides = (orphan: ReturnType<typeof job>) =>
  snapshot(owner, { nodes: ['b'], jobs: [orphan, job('b', 'running')] });

/** Takes two decisions, since a Job that is not recorded yet is recorded first. */
function deleted(seen: ReturnType<typeof snapshot>): readonly string[] {
  const first = decided(seen, 600);
  return [...first.deletes, ...decided(after(seen, first), 601).deletes];
}

it('a Job whose machine is gone is deleted', () => {
  expect(decided(besides(job('a', 'running')), 600).deletes).toEqual(['wipe-a']);
});

it('a Job that does not name its node is left alone, because its purpose is unknown', () => {
  const orphan = job('a', 'running');
  for (const odd of [
    { ...orphan, annotations: {} },
    { ...orphan, labels: omit(orphan.labels, labels.nodeUid) },
  ]) {
    expect(deleted(besides(odd))).toEqual([]);
  }
});

it('a Job that has ended was not lost with its machine', () => {
  const seen = besides(job('a', 'complete'));
  expect(deleted(seen)).toEqual([]);
  expect(decided(seen, 600).entry('a')).toBeUndefined();
  expect(decided(besides(job('a', 'running')), 600).entry('a')).toMatchObject({
    reason: 'NodeGone',
  });
});

it('a Job is left alone while the view of nodes may be behind', () => {
  const orphan = job('b', 'running', { machine: 'uid-of-new', creationTimestamp: at(100) });
  const seen = snapshot(owner, { nodes: ['b'], jobs: [orphan] });
  expect(decided(seen, 159).deletes).toEqual([]);
});
