/** Names and labels of metrics (Prometheus, "Metric and label naming"), and that all metrics are listed. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boundedSets, type Metric } from '#shared/runtime/process/metric.ts';
import { metrics } from './metrics.ts';

const root = join(import.meta.dirname, '..');
/** Users choose these values, so a label of them grows without bound. */
const unbounded = /^(name|namespace|uid|id|key|node|pod|user|step|path|queue|error|message)$/;

describe.each(metrics.map((metric) => [metric.name, metric] as const))('%s', (name, metric) => {
  it('has its unit as a suffix, and _total where it only grows', () => {
    expect(name).toMatch(/^millrace_[a-z]+(_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(metric.type === 'counter');
    expect(/_seconds(_total)?$/.test(name)).toBe(metric.unit === 'seconds');
    expect(/_(count|sum|bucket|info)$/.test(name)).toBe(false);
    expect(metric.buckets !== undefined).toBe(metric.type === 'histogram');
    if (metric.type === 'histogram') expect(metric.unit).toBe('seconds');
  });

  it('has labels with a bounded set of values only', () => {
    for (const [label, values] of Object.entries<Metric['labels'][string]>(metric.labels)) {
      if (typeof values === 'string') {
        expect(label).not.toMatch(unbounded);
        expect(boundedSets).toHaveProperty(values);
      } else {
        expect(new Set(values).size).toBe(values.length);
      }
      expect(values.length).toBeGreaterThan(0);
    }
  });

  it('says what it measures and what to do, in sentences', () => {
    expect(metric.says).toMatch(/^[A-Z0-9].*\.$/);
    expect(metric.next).toMatch(/^[A-Z0-9`].*\.$/);
  });
});

it('lists every metric that a source file declares', () => {
  const files = globSync(['shared/**/*.ts', 'functions/**/*.ts'], { cwd: root });
  const declared = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/\bname: '(millrace_\w+)'/g),
    ])
    .map(([, name]) => name);
  expect(metrics.map(({ name }) => name).toSorted()).toEqual(declared.toSorted());
  expect(new Set(declared).size).toBe(declared.length);
});
