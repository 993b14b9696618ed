/**
 * An object from the API server, reduced to what decisions depend on. It is parsed once and trusted
 * afterwards.
 */
import type { KubeObject, ObjectMeta } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { wishesIn } from '#shared/domain/wishes.ts';

/** A view returns the same object until it changes, and a parent is looked at for each of its Jobs. */
export function parsedOnce<Parsed extends object>(
  parse: (object: KubeObject) => Parsed,
): (object: KubeObject) => Parsed {
  const known = new WeakMap<KubeObject, Parsed>();
  return (object) => {
    let parsed = known.get(object);
    if (parsed === undefined) {
      parsed = parse(object);
      known.set(object, parsed);
    }
    return parsed;
  };
}

/** Only the label of the queue is kept. */
export function observedMeta({ annotations, labels, ...metadata }: ObjectMeta): ObjectMeta {
  const queue = labels?.[queueLabel];
  const { name, namespace, uid, resourceVersion } = metadata;
  const { generation, creationTimestamp, deletionTimestamp } = metadata;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    resourceVersion,
    ...(generation === undefined ? {} : { generation }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(queue === undefined ? {} : { labels: { [queueLabel]: queue } }),
    ...wishesIn(annotations),
  };
}
