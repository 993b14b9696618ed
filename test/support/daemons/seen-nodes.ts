import { daemonJob } from './daemon-manifest.ts';
import type { FlowWorld } from '../flow-world.ts';
import type { TestNodes } from './test-nodes.ts';

/**
 * Adds nodes of these names, and returns their full names once Millrace's watch shows them all. A DaemonJob
 * that is applied after that starts with the first of them.
 */
export async function addSeen(
  world: FlowWorld,
  nodes: TestNodes,
  names: readonly string[],
): Promise<readonly string[]> {
  const added = await nodes.add(names);
  await world.apply(daemonJob('look', nodes.pool, { suspend: true }));
  await world.untilDaemonJob(
    'look',
    'sees its nodes',
    ({ status }) => status?.desired === names.length,
  );
  await world.delete('DaemonJob', 'look');
  return added;
}
