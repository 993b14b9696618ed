import { expect, it } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { renderRoles } from '#shared/api/roles.ts';
import { bridgeAccess } from './watch-set.ts';

it('asks for no Lease but its own: the others hold every controller of the cluster', () => {
  const [everywhere, own] = renderRoles('bridge', bridgeAccess(subscriptions));
  expect(JSON.stringify(everywhere)).not.toContain('leases');
  expect(own?.['rules']).toEqual([
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: ['millrace-bridge'],
      verbs: ['get', 'patch'],
    },
  ]);
});
