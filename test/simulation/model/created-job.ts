/** What a Job is made of (rules 2, 3, 5, 6, 7 and 14). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { jobName } from './attempts-and-retries.ts';
import type { Start } from './starting.ts';

export function createdJobFaults(flow: JobFlow, start: Start, job: NewObject): readonly string[] {
  const { metadata, spec } = { ...job, spec: job.spec as JobSpec };
  const { jobTemplate, hash, step, attempt } = start;
  const { labels: everywhere } = flow.spec.globalParams ?? {};
  const owner = metadata.ownerReferences?.[0];
  const ours = {
    [labels.flow]: flow.metadata.name,
    [labels.ownerUid]: flow.metadata.uid,
    [labels.step]: step.name,
    [labels.attempt]: String(attempt),
  };
  const ttl = jobTemplate.ttlSecondsAfterFinished;
  const notes = {
    [annotations.ttlSecondsAfterFinished]: ttl === undefined ? undefined : String(ttl),
    [annotations.templateHash]: hash,
  };
  const pod = { ...spec.template.metadata?.labels };
  const podSpec = spec.template.spec as {
    readonly restartPolicy?: string;
    readonly containers?: unknown;
  };
  const wantedPod = jobTemplate.template.spec as { readonly containers?: unknown };
  return [
    ...differs('name', jobName(flow, step.name, attempt), metadata.name),
    ...differs('owner', flow.metadata.uid, owner?.controller === true ? owner.uid : undefined),
    ...differs('labels', { ...everywhere, ...ours }, metadata.labels),
    ...differs(
      'labels of its Pods',
      { ...everywhere, ...jobTemplate.template.metadata?.labels, ...ours },
      pod,
    ),
    ...Object.entries(notes).flatMap(([key, value]) =>
      differs(key, value, metadata.annotations?.[key]),
    ),
    // Only once its result is on record.
    ...differs('ttlSecondsAfterFinished', undefined, spec.ttlSecondsAfterFinished),
    ...differs('backoffLimit', jobTemplate.backoffLimit ?? 0, spec.backoffLimit),
    ...differs('restartPolicy', 'Never', podSpec.restartPolicy),
    ...differs('containers', wantedPod.containers, podSpec.containers),
    ...differs('suspend', jobTemplate.suspend, spec.suspend),
  ].map((fault) => `the Job of ${step.name}, attempt ${attempt}: ${fault}`);
}

export function differs(what: string, expected: unknown, came: unknown): readonly string[] {
  if (expected === came || JSON.stringify(expected) === JSON.stringify(came)) return [];
  const [left, right] = [json(expected), json(came)];
  return left === right ? [] : [`${what}: expected ${left}, came ${right}`];
}

/** With the members in order; `nothing` for undefined. */
function json(value: unknown): string {
  if (value === undefined) return 'nothing';
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)),
        )
      : member,
  );
}
