/** The parts of a queued object and its Workload that a decision can depend on. */
import type { QueuedKind } from '#shared/api/work/queued-kinds.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import {
  controllerOf,
  type Json,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { gatesAnnotation, kueuePrefix } from '#shared/domain/queue-labels.ts';
import { mayWait } from './unfinished.ts';

/** Undefined: the object is in no queue, like most objects. */
export function queuedFingerprint({
  queueing,
}: QueuedKind): (object: KubeObject) => Json | undefined {
  return (object) => {
    if (!mayWait(object)) return undefined;
    const { generation = 0, deletionTimestamp, labels = {}, annotations = {} } = object.metadata;
    return [
      generation,
      deletionTimestamp !== undefined,
      sorted(labels, (key) => key.startsWith(kueuePrefix)),
      sorted(annotations, (key) => isReservedKey(key) || key === gatesAnnotation),
      queueing.restsOn(object),
    ];
  };
}

/** PodsReady is this function's own write, so its echo wakes no function. */
export function workloadFingerprint({ metadata, spec, status }: KubeObject): Json {
  const fields = (status ?? {}) as JsonObject;
  const conditions = listOf(fields['conditions']).filter(
    (each) => fieldsOf(each)['type'] !== 'PodsReady',
  );
  return [
    metadata.deletionTimestamp !== undefined,
    [...(metadata.finalizers ?? [])],
    controllerOf(metadata)?.uid ?? '',
    (spec ?? null) as Json,
    conditions,
    ...[fields['admission'], fields['admissionChecks']].map((field) => field ?? null),
  ];
}

function sorted(texts: Readonly<Record<string, string>>, isOne: (key: string) => boolean): Json {
  return Object.entries(texts)
    .filter(([key]) => isOne(key))
    .sort(([left], [right]) => compareTexts(left, right));
}
