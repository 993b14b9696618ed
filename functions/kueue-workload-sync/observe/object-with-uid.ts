import type { KubeObject, ObjectName, Resource, Uid } from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';

/**
 * The object with this uid; undefined: it is gone. A view that is behind may still hold an earlier object of the same
 * name. A Workload would be finished as an orphan on its word, so the API server is asked then.
 */
export async function objectWithUid(
  resource: Resource,
  { namespace, name, uid }: ObjectName & { readonly uid: Uid },
  reader: Reader,
): Promise<KubeObject | undefined> {
  const found = await reader.get(resource, { namespace, name });
  const isOther = found !== undefined && found.metadata.uid !== uid;
  const current = isOther
    ? await reader.get(resource, { namespace, name }, undefined, 'now')
    : found;
  return current?.metadata.uid === uid ? current : undefined;
}
