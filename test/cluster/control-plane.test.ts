import { expect, it } from 'vitest';
import { describeWithCluster } from '#test/support/require.ts';

describeWithCluster('control plane', ({ kubectl }) => {
  it('has three ready nodes, one of them named minikube', async () => {
    const { stdout } = await kubectl(['get', 'nodes', '-o', 'name']);
    expect(stdout.trim().split('\n').sort()).toEqual([
      'node/minikube',
      'node/node-1',
      'node/node-2',
    ]);
  });
});
