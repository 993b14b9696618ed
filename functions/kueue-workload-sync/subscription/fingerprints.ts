/** What of a flow in a queue and of its Workload the decision can depend on. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import {
  controllerOf,
  type Json,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { kueuePrefix } from '#shared/domain/queue-labels.ts';
import { isQueued } from './unfinished.ts';

/** Undefined: it is in no queue, which is so of most. */
export function queuedFingerprint(flow: KubeObject): Json | undefined {
  if (!isQueued(flow)) return undefined;
  const { metadata, status } = flow as unknown as JobFlow;
  const { labels = {}, annotations = {} } = metadata;
  const { state, observedGeneration, progress, running = 0, conditions = [] } = status ?? {};
  return [
    metadata.generation ?? 0,
    metadata.deletionTimestamp !== undefined,
    sorted(labels, (key) => key.startsWith(kueuePrefix)),
    sorted(annotations, isReservedKey),
    [state ?? '', observedGeneration ?? 0, progress ?? '', running > 0],
    conditions.find(({ type }) => type === 'Suspended')?.status ?? '',
  ];
}

export function workloadFingerprint({ metadata, spec, status }: KubeObject): Json {
  const fields = (status ?? {}) as JsonObject;
  return [
    metadata.deletionTimestamp !== undefined,
    [...(metadata.finalizers ?? [])],
    controllerOf(metadata)?.uid ?? '',
    (spec ?? null) as Json,
    ...[fields['conditions'], fields['admission'], fields['admissionChecks']].map(
      (field) => field ?? null,
    ),
  ];
}

function sorted(texts: Readonly<Record<string, string>>, isOne: (key: string) => boolean): Json {
  return Object.entries(texts)
    .filter(([key]) => isOne(key))
    .sort(([left], [right]) => compareTexts(left, right));
}
