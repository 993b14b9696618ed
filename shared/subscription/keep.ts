/** The part of an object that the views keep: all that decisions read, and little else. */
import { fieldsOf, isObject, membersOf } from '#shared/domain/json-value.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { podReport, reducedPodStatus } from '#shared/domain/pod-status.ts';
import { fieldsOfSilence, isSilent } from '#shared/domain/pod-trouble.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';

/** Fields of a Job's spec that a running flow reads; most of the spec is its pod template. */
const jobSpecFields: ReadonlySet<string> = new Set([
  'suspend',
  'completions',
  'parallelism',
  'ttlSecondsAfterFinished',
  'backoffLimit',
  'managedBy',
]);

export function keepOfJob(object: KubeObject): KubeObject {
  const stripped = stripMetadata(object);
  if (!isObject(stripped.spec)) return stripped;
  return { ...stripped, spec: membersOf(stripped.spec, (field) => jobSpecFields.has(field)) };
}

/** A Pod's owner, its phase, and what keeps it from running or made it fail. */
export function keepOfPod(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status } = object;
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences } = metadata;
  // Most Pods run, and their reports are not needed.
  const isPending = fieldsOf(status)['phase'] === 'Pending';
  const isWithoutNews = isPending && isSilent(podReport(status));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      ...present('namespace', namespace),
      ...present('deletionTimestamp', deletionTimestamp),
      ...present('ownerReferences', ownerReferences),
      ...(isWithoutNews ? present('creationTimestamp', metadata.creationTimestamp) : {}),
      labels: ownLabels(metadata.labels),
    },
    ...(isWithoutNews
      ? { spec: membersOf(fieldsOf(spec), (field) => fieldsOfSilence.has(field)) }
      : {}),
    status: reducedPodStatus(status),
  };
}

function ownLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return membersOf(labels, isReservedKey);
}

function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]?: Value });
}
