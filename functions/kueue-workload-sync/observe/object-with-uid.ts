import type { KubeObject, ObjectName, Resource, Uid } from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';

/**
 * The object with this uid. Undefined: it is gone. If a view shows another object of the name, the API server is
 * asked: the view may be outdated, and the Workload would be finished as an orphan.
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
