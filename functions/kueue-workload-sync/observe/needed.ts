import type { Needed } from '#shared/api/work/queueing/queueing.ts';
import type { QueuedKind } from '#shared/api/work/queued-kinds.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';

/** The objects that podSets of this kind are made from. */
export async function neededBy(
  object: KubeObject,
  { queueing: { needs } }: QueuedKind,
  reader: Reader,
): Promise<Needed> {
  if (needs === undefined) return {};
  const { namespace = '' } = object.metadata;
  const found = await Promise.all(
    needs.namesIn(object).map(async (name): Promise<readonly [string, JsonObject | null]> => {
      const one = await reader.get(needs.resource, { namespace, name });
      return [name, one === undefined ? null : needs.partOf(one)];
    }),
  );
  return Object.fromEntries(found);
}
