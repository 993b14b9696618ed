import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { counterOf, metric } from './metric.ts';

const common = { type: 'counter', unit: 'number', by: 'a process', says: 'x', next: 'x' } as const;

it('a counter begins at 0 for each combination of the values that its labels list', async () => {
  const labels = { one: ['a', 'b'], other: ['c', 'd'] } as const;
  const registry = new Registry();
  counterOf(metric({ name: 'counted_total', ...common, labels }), registry).inc({
    one: 'a',
    other: 'd',
  });
  expect((await registry.metrics()).split('\n').slice(2)).toEqual([
    'counted_total{one="a",other="c"} 0',
    'counted_total{one="a",other="d"} 1',
    'counted_total{one="b",other="c"} 0',
    'counted_total{one="b",other="d"} 0',
    '',
  ]);
});

it('a counter without labels begins at 0', async () => {
  const registry = new Registry();
  counterOf(metric({ name: 'counted_total', ...common, labels: {} }), registry);
  expect(await registry.metrics()).toContain('\ncounted_total 0\n');
});

it('a counter begins without series when the values of a label are not listed', async () => {
  const labels = { one: ['a'], kind: 'kind' } as const;
  const registry = new Registry();
  counterOf(metric({ name: 'counted_total', ...common, labels }), registry);
  expect(await registry.metrics()).not.toMatch(/^counted_total/m);
});
