/** The parts of an object that a policy's decision can depend on. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import { controllerOf, type Json, type KubeObject } from '#shared/domain/objects.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';

/** Undefined: no policy can concern it. */
export function governedFingerprint(object: KubeObject): Json | undefined {
  const found = governedObject(object);
  if (found === undefined) return undefined;
  const { suspend, isActive, hasRun, untouchable, labels } = found;
  const own = Object.entries(object.metadata.annotations ?? {}).filter(([key]) =>
    isReservedKey(key),
  );
  return [
    object.metadata.generation ?? 0,
    [suspend, isActive, hasRun, untouchable ?? ''],
    sorted(Object.entries(labels)),
    sorted(own),
  ];
}

/** Of a Workload: whether it may run, and what policies have written on it. */
export function workloadFingerprint({ metadata, spec, status }: KubeObject): Json {
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => isReservedKey(key));
  return [
    metadata.deletionTimestamp !== undefined,
    [fieldsOf(spec)['active'] ?? true, fieldsOf(status)['conditions'] ?? []],
    controllerOf(metadata)?.uid ?? '',
    sorted(own),
  ];
}

/** Without the status, which is this function's own write. */
export function policyFingerprint({ metadata }: KubeObject): Json {
  const { generation = 0, deletionTimestamp } = metadata;
  return [generation, deletionTimestamp !== undefined];
}

export function labelsFingerprint({ metadata }: KubeObject): Json {
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => isReservedKey(key));
  return [sorted(Object.entries(metadata.labels ?? {})), sorted(own)];
}

function sorted(entries: readonly (readonly [string, string])[]): Json {
  return [...entries].sort(([left], [right]) => compareTexts(left, right));
}
