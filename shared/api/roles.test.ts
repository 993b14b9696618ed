import { describe, expect, it } from 'vitest';
import { renderRoles } from './roles.ts';
import { resources } from '#shared/domain/resources.ts';

describe('a role', () => {
  it('grants exactly the declared verbs on each resource and subresource', () => {
    const [role] = renderRoles('flow-advance', [
      { resource: resources.JobFlow, verbs: ['get', 'delete'] },
      { resource: resources.JobFlow, subresource: 'status', verbs: ['patch'] },
      { resource: resources.Pod, verbs: ['get'] },
    ]);
    expect(role).toMatchObject({
      kind: 'ClusterRole',
      metadata: { name: 'millrace:flow-advance' },
      rules: [
        { apiGroups: ['api.practice.com'], resources: ['jobflows'], verbs: ['delete', 'get'] },
        { apiGroups: ['api.practice.com'], resources: ['jobflows/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      ],
    });
  });

  it('joins resources of one group that share their verbs', () => {
    const [role] = renderRoles('bridge', [
      { resource: resources.JobTemplate, verbs: ['watch', 'list'] },
      { resource: resources.JobFlow, verbs: ['list', 'watch'] },
    ]);
    expect(role?.['rules']).toEqual([
      {
        apiGroups: ['api.practice.com'],
        resources: ['jobflows', 'jobtemplates'],
        verbs: ['list', 'watch'],
      },
    ]);
  });

  it('keeps to its own namespace, and there to names, what is limited so', () => {
    const roles = renderRoles('bridge', [
      { resource: resources.JobFlow, verbs: ['list'] },
      { resource: resources.Lease, namespace: 'own', verbs: ['create'] },
      { resource: resources.Lease, namespace: 'own', names: ['mine'], verbs: ['patch', 'get'] },
    ]);
    expect(roles).toMatchObject([
      { kind: 'ClusterRole', rules: [{ resources: ['jobflows'], verbs: ['list'] }] },
      {
        kind: 'Role',
        metadata: { name: 'millrace:bridge' },
        rules: [
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
          { resources: ['leases'], resourceNames: ['mine'], verbs: ['get', 'patch'] },
        ],
      },
    ]);
    expect(roles[1]?.['rules']).toHaveLength(2);
  });
});
