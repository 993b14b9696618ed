/** Invariants of the state in which everything has come to rest. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore } from '#sandbox';
import { apiReader } from '#shared/kube/api-reader.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { isEmptyPlan } from '#shared/domain/plan.ts';
import { flowsOf, namespace } from '../flow-objects.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import type { FlowPlan, Scenario } from '../scenario.ts';
import { hasPendingRetry } from './witness.ts';
import { hasCondition, recordsOf } from './flow-memory.ts';

/** Whether nothing is pending, judged from the outside. */
export function isAtRest(store: ObjectStore): boolean {
  return (
    isPoisonReported(store) &&
    flowsOf(store).every(isOver) &&
    store.list(resources.Job).every((job) => !isUnderway(store, job))
  );
}

function isOver(flow: JobFlow): boolean {
  return (
    flow.metadata.deletionTimestamp === undefined &&
    flow.status?.completionTime !== undefined &&
    flow.status.observedGeneration === flow.metadata.generation &&
    flow.spec.ttlSecondsAfterFinished === undefined &&
    !hasPendingRetry(flow)
  );
}

/**
 * The status of an invalid flow says so; until then it is pending work (I11). A server that checks
 * schemas stores that status too, because unchanged parts are not validated again.
 */
function isPoisonReported(store: ObjectStore): boolean {
  const poison = store.get(resources.JobFlow, namespace, 'poison') as JobFlow | undefined;
  return poison === undefined || poison.status?.completionTime !== undefined;
}

function isUnderway(store: ObjectStore, job: ReturnType<ObjectStore['list']>[number]): boolean {
  const owner = controllerOf(job.metadata);
  const isOrphan = owner !== undefined && store.byUid(owner.uid) === undefined;
  const isFinished = hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
  const { ttlSecondsAfterFinished: ttl } = job.spec as {
    readonly ttlSecondsAfterFinished?: number;
  };
  // Without its label the Job cannot be found; it is deleted with its flow.
  const isLost = job.metadata.labels?.[labels.ownerUid] === undefined;
  const awaitsTtl =
    !isLost && job.metadata.annotations?.[annotations.ttlSecondsAfterFinished] !== undefined;
  const isLeaving = job.metadata.deletionTimestamp !== undefined || ttl !== undefined;
  return !isFinished || isOrphan || isLeaving || (owner !== undefined && awaitsTtl);
}

/** Pending objects and their states, for the report. */
export function unrest(store: ObjectStore): readonly string[] {
  const flows = flowsOf(store)
    .filter((flow) => !isOver(flow))
    .map(
      ({ metadata, spec, status }) =>
        `I5: ${metadata.name} did not come to rest: ${JSON.stringify({ metadata, suspend: spec.suspend, status })}`,
    );
  const jobs = store
    .list(resources.Job)
    .filter((job) => isUnderway(store, job))
    .map(
      ({ metadata, spec, status }) =>
        `I6: left over: ${JSON.stringify({ metadata, spec, status })}`,
    );
  return [...flows, ...jobs];
}

/** I5: another pass at rest writes nothing. */
export async function secondThoughts(
  store: ObjectStore,
  kinds: readonly JudgedKind[],
  client: KubeClient,
  nowMs: number,
): Promise<readonly string[]> {
  const reader = apiReader(client);
  const faults: string[] = [];
  for (const { fn } of kinds) {
    const all = fn.subscription.decides.flatMap((resource) => store.list(resource));
    for (const { apiVersion, kind, metadata } of all) {
      const { name, namespace = '', uid } = metadata;
      const snapshot = await fn.observe({ apiVersion, kind, namespace, name, uid }, reader, {
        nowMs,
      });
      if (snapshot === undefined) continue;
      const { plan } = fn.decide(snapshot, { nowMs });
      if (!isEmptyPlan(plan)) faults.push(`I5: ${name} at rest, yet ${JSON.stringify(plan)}`);
    }
  }
  return faults;
}

/** I9: an ended object at rest is not unfinished, or the bridge would sweep it for ever. */
export function sweptForEver(
  store: ObjectStore,
  kinds: readonly JudgedKind[],
  nowMs: number,
): readonly string[] {
  const jobs = store.list(resources.Job);
  const findable = jobs.filter(({ metadata }) => metadata.labels?.[labels.ownerUid] !== undefined);
  const seen: SeenObjects = {
    get: (resource, ofNamespace, name) => store.get(resource, ofNamespace, name),
    list: (resource) => store.list(resource),
    listByOwner: (_, uid) => findable.filter(({ metadata }) => controllerOf(metadata)?.uid === uid),
  };
  return kinds.flatMap(({ fn: { subscription } }) =>
    subscription.decides
      .flatMap((resource) => store.list(resource))
      .filter(hasEnded)
      .filter((object) => subscription.isUnfinished(object, seen, nowMs))
      .map(({ metadata }) => `I9: at rest, yet ${metadata.name} counts as unfinished`),
  );
}

/** A policy never ends. */
function hasEnded({ status }: KubeObject): boolean {
  const { state } = (status ?? {}) as { readonly state?: string };
  return state === 'Succeed' || state === 'Failed';
}

/**
 * Without user actions, the graph and the planned results of Jobs determine how every step ends.
 */
export function unexpectedEnds(store: ObjectStore, scenario: Scenario): readonly string[] {
  const expires = scenario.happenings.some(({ kind }) => kind === 'expireChild');
  return scenario.flows.flatMap((plan) => {
    const flow = flowsOf(store).find(({ metadata }) => metadata.name === plan.name);
    if (flow === undefined || plan.failurePolicy !== undefined) return [];
    if ((plan.shutdown ?? plan.deadlineSeconds) !== undefined) return [];
    if (flow.status?.reason === 'StartDeadlineExceeded') return [];
    // A foreign TTL removed a Job while its end could not be recorded.
    if (expires && recordsOf(flow).some(({ reason }) => reason === 'ChildDeleted')) return [];
    const expected = expectedEnds(plan);
    return recordsOf(flow).flatMap(({ name, state }) =>
      expected.get(name) === state
        ? []
        : [
            `I5: ${plan.name} ${name} ended as ${state}, expected ${expected.get(name) ?? 'nothing'}`,
          ],
    );
  });
}

function expectedEnds({ steps }: FlowPlan): ReadonlyMap<string, string> {
  const ends = new Map<string, string>();
  for (const { name, after, failures, retries } of steps) {
    const isReached = after.every((dependency) => ends.get(dependency) === 'Succeed');
    const own = failures <= retries ? 'Succeed' : 'Failed';
    ends.set(name, isReached ? own : 'Skipped');
  }
  return ends;
}
