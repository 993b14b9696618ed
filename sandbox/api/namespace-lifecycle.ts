/** Admission plugin NamespaceLifecycle: nothing is created in a namespace that is missing or terminating. */
import type { ApiCall } from './api-call.ts';
import { asDraft } from './draft.ts';
import { notFound, qualified, StatusError } from '../apimachinery/status-error.ts';
import type { World } from './world.ts';

const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' };
const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Throws StatusError 404 or 403. */
export function checkNamespaceTakes(
  { store }: World,
  { type, namespace }: ApiCall,
  name: string,
): void {
  if (!type.namespaced) return;
  const found = store.get(namespaces, '', namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (asDraft(found).metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw new StatusError(403, 'Forbidden', `${qualified(type)} "${name}" is forbidden: ${why}`, {
    name,
    ...(type.group === '' ? {} : { group: type.group }),
    kind: type.plural,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}

/** Throws StatusError 403 for the deletion of a namespace that every cluster has. */
export function checkNamespaceMayGo({ type, name }: ApiCall): void {
  if (type.group !== '' || type.plural !== 'namespaces' || !immortal.has(name)) return;
  const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
  throw new StatusError(403, 'Forbidden', message, { name, kind: 'namespaces' });
}
