/** A SuspendPolicy over queued work writes only to LocalQueues and Workloads, so that it never fights with Kueue. */
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { describePoliciesOfQueues } from '#test/support/kueue/policies-of-queues.ts';
import { localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';

/** Room for one Pod. */
const small = {
  ...{ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ClusterQueue', metadata: { name: 'small' } },
  spec: {
    namespaceSelector: {},
    resourceGroups: [
      {
        coveredResources: ['pods'],
        flavors: [{ name: 'default', resources: [{ name: 'pods', nominalQuota: 1 }] }],
      },
    ],
  },
};

describeKueue('policies of what is queued', (suite) => {
  describePoliciesOfQueues(async () => {
    const world = await suite.world('queued');
    await suite.apply([resourceFlavor('default'), small]);
    await suite.apply([localQueue('main', 'small')], '-n', world.namespace);
    const ask = (args: readonly string[], input?: string) => world.kubectl(args, input);
    return { ask, namespace: world.namespace };
  });
});
