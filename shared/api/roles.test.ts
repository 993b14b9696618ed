import { describe, expect, it } from 'vitest';
import { renderRole } from './roles.ts';

describe('a role', () => {
  it('grants exactly the declared verbs on each resource and subresource', () => {
    const role = renderRole('flow-advance', [
      { resource: 'JobFlow', verbs: ['get', 'delete'] },
      { resource: 'JobFlow', subresource: 'status', verbs: ['patch'] },
      { resource: 'Pod', verbs: ['get'] },
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
    const role = renderRole('bridge', [
      { resource: 'JobTemplate', verbs: ['watch', 'list'] },
      { resource: 'JobFlow', verbs: ['list', 'watch'] },
    ]);
    expect(role['rules']).toEqual([
      {
        apiGroups: ['api.practice.com'],
        resources: ['jobflows', 'jobtemplates'],
        verbs: ['list', 'watch'],
      },
    ]);
  });

  it('is a Role of one namespace when it is limited to it', () => {
    const role = renderRole('bridge', [], { namespace: 'batch' });
    expect(role).toMatchObject({ kind: 'Role', metadata: { namespace: 'batch' } });
  });
});
