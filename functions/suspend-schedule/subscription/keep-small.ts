import { isReservedKey } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { fieldsOf } from '#shared/suspension/governed-object.ts';
import { isFinished } from '#shared/suspension/finished-workload.ts';

/** Labels, by which it is selected, and what is wished for all that is in it. */
export function keepOfNamespace(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => isReservedKey(key));
  return { apiVersion, kind, metadata: { ...metadata, annotations: Object.fromEntries(own) } };
}

/** Its status counts what is in it, which moves with every Job. */
export function keepOfQueue(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const { stopPolicy } = fieldsOf(object.spec);
  return {
    apiVersion,
    kind,
    metadata,
    spec: stopPolicy === undefined ? {} : { stopPolicy },
  };
}

/** Its quota and its checks are Kueue's own business. */
export function keepOfWorkload(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const { active } = fieldsOf(object.spec);
  return {
    apiVersion,
    kind,
    metadata,
    spec: active === undefined ? {} : { active },
    status: { conditions: isFinished(object) ? [{ type: 'Finished', status: 'True' }] : [] },
  };
}

export function keepOfPriorityClass(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const { value, globalDefault } = object as {
    readonly value?: number;
    readonly globalDefault?: boolean;
  };
  const kept = { apiVersion, kind, metadata, value, globalDefault };
  return kept;
}
