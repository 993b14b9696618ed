/**
 * Invariants of every flow, whatever a test did with it (I1 to I4 and I7). They are checked on every version that
 * the API server ever stored, so that deleted objects are included.
 */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { controllerOf } from '#shared/domain/objects.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { has, type JobObject } from './batch-objects.ts';
import type { Sighting } from './object-history.ts';

interface Creation {
  readonly job: JobObject;
  readonly owner: string;
  readonly step: string;
  /** All earlier commits about Jobs. */
  readonly earlier: readonly Sighting<JobObject>[];
  /** The flow at the creation of the Job. */
  readonly flow: JobFlow | undefined;
  /** It was to run in a spec after the one noted in its status, even if it is suspended again. */
  readonly isResumed: boolean;
}

/** One line per violation; empty if there is none. `flows` and `jobs` are of one namespace. */
export function violations(
  flows: readonly Sighting<JobFlow>[],
  jobs: readonly Sighting<JobObject>[],
): readonly string[] {
  const creations = creationsOf(flows, jobs);
  return [
    ...repeated(creations),
    ...creations.flatMap((creation) => [
      ...againAfterSuccess(creation),
      ...beforeItsDependencies(creation),
      ...withoutBeingCalledFor(creation),
    ]),
    ...takenBack(flows),
  ];
}

function creationsOf(
  flows: readonly Sighting<JobFlow>[],
  jobs: readonly Sighting<JobObject>[],
): readonly Creation[] {
  return jobs.flatMap(({ type, object }, index) => {
    const owner = controllerOf(object.metadata);
    if (type !== 'ADDED' || owner?.kind !== 'JobFlow') return [];
    const step = object.metadata.labels?.[labels.step] ?? '';
    const earlier = jobs.slice(0, index);
    const known = flowsBefore(flows, object);
    const flow = known.at(-1);
    const noted = flow?.status?.observedGeneration ?? 0;
    const isResumed = known.some(
      ({ metadata, spec }) => (metadata.generation ?? 0) > noted && spec.suspend !== true,
    );
    return [{ job: object, owner: owner.uid, step, earlier, flow, isResumed }];
  });
}

/** Revisions of one etcd compare across kinds; only a test may rely on that. */
function flowsBefore(flows: readonly Sighting<JobFlow>[], job: JobObject): readonly JobFlow[] {
  const created = revisionOf(job);
  const owner = controllerOf(job.metadata)?.uid;
  return flows.flatMap(({ object }) =>
    object.metadata.uid === owner && revisionOf(object) < created ? [object] : [],
  );
}

function revisionOf({ metadata }: Pick<JobFlow, 'metadata'>): bigint {
  return BigInt(metadata.resourceVersion);
}

function repeated(creations: readonly Creation[]): readonly string[] {
  const keys = creations.map(({ owner, job }) => `${owner}/${job.metadata.name}`);
  const twice = creations.filter((_, index) => keys.indexOf(keys[index]!) !== index);
  return twice.map(({ job }) => `I1: ${job.metadata.name} was created twice for one flow`);
}

function againAfterSuccess({ flow, job, step }: Creation): readonly string[] {
  const record = flow?.status?.jobStatusList?.find(({ name }) => name === step);
  return record?.state === 'Succeed'
    ? [`I2: ${job.metadata.name} was created although its step was on record as Succeed`]
    : [];
}

function beforeItsDependencies({ flow, job, owner, step, earlier }: Creation): readonly string[] {
  const entry = flow?.spec.flows.find(({ name }) => name === step);
  const signal = entry?.startOn ?? 'Complete';
  const isOver = (dependency: string) =>
    earlier.some(
      ({ object }) =>
        controllerOf(object.metadata)?.uid === owner &&
        object.metadata.labels?.[labels.step] === dependency &&
        (has(object, 'Complete') || has(object, signal)),
    );
  return (entry?.dependencies ?? [])
    .filter((dependency) => !isOver(dependency))
    .map((dependency) => `I3: ${job.metadata.name} was created before ${dependency} was over`);
}

function withoutBeingCalledFor({ flow, job, isResumed }: Creation): readonly string[] {
  const state = flow?.status?.state;
  const isCalledFor =
    state === undefined ||
    state === 'Pending' ||
    state === 'Running' ||
    (state === 'Suspended' && (flow?.spec.suspend !== true || isResumed)) ||
    (state === 'Failed' && (isRetried(flow) || isCorrected(flow)));
  return isCalledFor ? [] : [`I4: ${job.metadata.name} was created while its flow was ${state}`];
}

function isRetried(flow: JobFlow | undefined): boolean {
  return flow?.metadata.annotations?.[annotations.retry] !== flow?.status?.retryNonce;
}

/** A flow that was refused before its start, and edited since. */
function isCorrected(flow: JobFlow | undefined): boolean {
  const { startTime, observedGeneration } = flow?.status ?? {};
  return startTime === undefined && observedGeneration !== flow?.metadata.generation;
}

function takenBack(flows: readonly Sighting<JobFlow>[]): readonly string[] {
  return flows.flatMap(({ object }, index) => {
    const previous = flows
      .slice(0, index)
      .findLast(({ object: earlier }) => earlier.metadata.uid === object.metadata.uid)?.object;
    if (previous === undefined) return [];
    return [...endTakenBack(previous, object), ...generationSank(previous, object)];
  });
}

function endTakenBack(previous: JobFlow, next: JobFlow): readonly string[] {
  const before = previous.status?.state;
  const after = next.status?.state;
  const wasOver = before === 'Succeed' || before === 'Failed';
  const isRetry = next.status?.retryNonce !== previous.status?.retryNonce;
  const neverRan = previous.status?.startTime === undefined;
  if (!wasOver || after === before || after === 'Terminating' || isRetry || neverRan) return [];
  return [`I7: ${next.metadata.name} went from ${before} to ${after ?? 'no state'}`];
}

function generationSank(previous: JobFlow, next: JobFlow): readonly string[] {
  const before = previous.status?.observedGeneration ?? 0;
  const after = next.status?.observedGeneration ?? before;
  return after < before
    ? [`I7: observedGeneration of ${next.metadata.name} went from ${before} to ${after}`]
    : [];
}
