import { expect, it } from 'vitest';
import { flowAdmissionAccess } from './access.ts';

it('flow-admission may read what submissions name, ask about rights, and try their Jobs', () => {
  const granted = flowAdmissionAccess.map(({ resource, verbs, names = [] }) =>
    [...verbs, resource.plural, ...names].join(' '),
  );
  expect(granted).toEqual([
    'get jobtemplates',
    'get nodes',
    'create jobs',
    'create subjectaccessreviews',
    'get namespaces kube-system',
  ]);
});
