/** Reviews for policies and queues. A test states only what matters to its rule. */
import type { Admission } from '#shared/admission/admission.ts';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { AdmissionDecision, Review, ReviewUser } from '#shared/domain/admission-decision.ts';
import { asResourceVersion, asUid, type JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import type { SuspendPolicy, SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { openingBy, timetableOf } from '#shared/suspension/timetable.ts';
import type { Policies } from '../policy-book.ts';

/** A Monday morning. */
export const nowMs = Date.parse('2026-01-05T08:00:00Z');
export const clock = { now: () => nowMs };
export const nights = {
  timeZone: 'UTC',
  windows: [{ name: 'night', open: '0 20 * * *', close: '0 6 * * *' }],
};
export const days = {
  timeZone: 'UTC',
  windows: [{ name: 'day', open: '0 6 * * *', close: '0 20 * * *' }],
};
export const queueLabel = 'kueue.x-k8s.io/queue-name';
export const bob: ReviewUser = { username: 'bob', groups: ['team-a'], extra: {} };

type Kind = 'Job' | 'JobFlow' | 'DaemonJob' | 'AppWrapper';

export interface ObjectFields {
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly ownerReferences?: readonly JsonObject[];
  readonly spec?: JsonObject;
}

export function object(kind: Kind, { spec = {}, ...metadata }: ObjectFields = {}): JsonObject {
  const { group, version } = resources[kind];
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'etl', namespace: 'team-a', ...metadata },
    spec,
  };
}

export function creation(created: JsonObject): Review {
  const { group, version, plural, kind } = resources[created['kind'] as Kind];
  return {
    uid: 'u-review',
    operation: 'CREATE',
    kind: { group, version, kind },
    resource: { group, version, plural },
    subresource: '',
    namespace: 'team-a',
    name: 'etl',
    object: created,
    user: bob,
    dryRun: false,
  };
}

export function update(before: JsonObject, after: JsonObject): Review {
  return { ...creation(after), operation: 'UPDATE', oldObject: before };
}

export function policy(
  name: string,
  spec: ClusterSuspendPolicySpec,
  status?: SuspendPolicyStatus,
): SuspendPolicy {
  return {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: 'SuspendPolicy',
    metadata: {
      ...{ name, namespace: 'team-a', uid: asUid(`uid-of-${name}`), generation: 1 },
      resourceVersion: asResourceVersion('1'),
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

export function policies(
  all: readonly SuspendPolicy[] | (() => readonly SuspendPolicy[]) = [],
  labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
  localQueues: readonly string[] = [],
): Policies {
  return {
    all: () => (typeof all === 'function' ? all() : all),
    labelsOf: (namespace) => labels[namespace] ?? {},
    hasLocalQueue: (namespace, name) => localQueues.includes(`${namespace}/${name}`),
    openingOf: ({ spec }, atMs) => openingBy(timetableOf(spec.schedule, atMs), atMs),
  };
}

/** Answers like the process, but without a time limit. */
export async function answer(
  admission: Admission,
  review: Review,
  cluster: Inquiry = knownCluster(),
  atMs = nowMs,
): Promise<AdmissionDecision> {
  const facts = await admission.lookUp?.(review, cluster, new AbortController().signal);
  return admission.decide(review, { facts, nowMs: atMs });
}
