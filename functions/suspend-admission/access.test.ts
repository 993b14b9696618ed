import { expect, it } from 'vitest';
import { accessOf } from '#shared/installation/access.ts';
import { suspendAdmissionAccess } from './access.ts';
import { managedResources } from '#shared/api/work/queued-kinds.ts';

it('in an installation for one namespace, owners are read in that one only', () => {
  const process = { name: 'suspend-admission', access: suspendAdmissionAccess };
  const granted = (kind: string) => {
    const found = accessOf(process, { namespace: 'batch', namespaced: true });
    const role = found.find((object) => object['kind'] === kind);
    return (role?.['rules'] as readonly { resources: string[]; verbs: string[] }[])
      .filter(({ verbs }) => verbs.includes('get'))
      .flatMap((rule) => rule.resources);
  };
  expect(granted('Role')).toEqual(
    expect.arrayContaining(managedResources.map(({ plural }) => plural)),
  );
  expect(granted('ClusterRole')).toEqual(['namespaces']);
});
