import { describe, expect, it } from 'vitest';
import { flow, flowName, step } from './testing/builders.ts';
import { finish } from './testing/job-controller.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { quiesce } from './testing/passes.ts';

/** A -> {B, C, D} -> E, the diamonds of `npm run bench`. */
const diamond = [
  step('a'),
  step('b', { after: ['a'] }),
  step('c', { after: ['a'] }),
  step('d', { after: ['a'] }),
  step('e', { after: ['b', 'c', 'd'] }),
];

async function run(layers: readonly (readonly string[])[]) {
  const cluster = new ModelCluster(flow(diamond));
  await quiesce(cluster);
  for (const names of layers) {
    for (const name of names) finish(cluster, `${flowName}-${name}`, 'Complete');
    await quiesce(cluster);
  }
  expect(cluster.flow?.status?.state).toBe('Succeed');
  return { writes: cluster.writes, events: cluster.events };
}

describe('own writes of a flow of five steps', () => {
  it('are nine when the steps of a layer end together: five creates, four status patches', async () => {
    expect((await run([['a'], ['b', 'c', 'd'], ['e']])).writes).toBe(9);
  });

  it('are eleven when every step ends on its own: each result is recorded when it is seen', async () => {
    expect((await run([['a'], ['b'], ['c'], ['d'], ['e']])).writes).toBe(11);
  });

  it('have two Events, for the flow', async () => {
    expect((await run([['a'], ['b'], ['c'], ['d'], ['e']])).events).toEqual([
      'Started',
      'Completed',
    ]);
  });
});
