/** A queued flow and its Workload, with defaults. A test states only what matters. */
import type { Condition } from '#shared/domain/conditions.ts';
import type { Decision } from '#shared/domain/decision.ts';
import {
  apiVersionOf,
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { lawfulDecision } from '#shared/domain/testing/lawful-decision.ts';
import { flow, type ObjectFields } from '#shared/domain/testing/objects.ts';
import { decide } from '../decide.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import { controllerOwner, inUseFinalizer } from '../workload.ts';

export const nowMs = Date.parse('2026-11-27T10:00:00Z');

const container = { name: 'main', image: 'busybox', resources: { requests: { cpu: '1' } } };

export function stepNamed(name: string): JsonObject {
  return { name, jobTemplate: { template: { spec: { containers: [container] } } } };
}

/** Suspended, in the queue `main`, with the steps a and b. */
export function queuedFlow({ metadata, spec, ...fields }: ObjectFields = {}): KubeObject {
  return flow({
    name: 'etl',
    ...fields,
    metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'main' }, ...metadata },
    spec: { suspend: true, flows: [stepNamed('a'), stepNamed('b')], ...spec },
  });
}

export function snapshotOf(
  job: KubeObject | undefined,
  more: Partial<QueueSnapshot> = {},
): QueueSnapshot {
  const of = job ?? queuedFlow();
  const { apiVersion, kind, metadata } = of;
  const { name, namespace = '', uid } = metadata;
  return {
    key: { apiVersion, kind, namespace, name, uid },
    ...(job === undefined ? {} : { job }),
    workloadName: 'jobflow-etl-12345',
    workloads: [],
    needed: {},
    flavors: {},
    priority: { kind: 'known', value: 0 },
    rejections: [],
    ...more,
  };
}

type Truth = Partial<Record<string, string>>;

/** The Workload that Millrace creates. `conditions`: reasons by type, with `!` if it is False. */
export function workloadOf(
  job: KubeObject,
  conditions: Truth = {},
  status: JsonObject = {},
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  const created = decided(snapshotOf(job)).find(({ kind }) => kind === 'create');
  if (created?.kind !== 'create') throw new Error('no Workload is made of it');
  const {
    apiVersion,
    kind,
    metadata: own,
    name,
    namespace = '',
    uid,
  } = { ...job, ...job.metadata };
  return {
    apiVersion: apiVersionOf(resources.Workload),
    kind: 'Workload',
    metadata: {
      ...created.object.metadata,
      uid: asUid('uid-of-workload'),
      resourceVersion: asResourceVersion('9'),
      generation: own.generation ?? 1,
      finalizers: [inUseFinalizer],
      ownerReferences: [controllerOwner({ apiVersion, kind, name, namespace, uid })],
      ...metadata,
    },
    spec: created.object.spec,
    status: { conditions: Object.entries(conditions).map(conditionFrom), ...status },
  };
}

export const running = { suspend: false };
/** A ResourceFlavor. */
export const spot = { spot: { nodeLabels: { pool: 'spot' }, tolerations: [{ key: 'spot' }] } };

/** Processed since its suspension, and nothing of it runs. */
export const stopped = {
  state: 'Suspended',
  observedGeneration: 1,
  startTime: '2026-11-27T09:00:00Z',
  running: 0,
  conditions: [{ type: 'Suspended', status: 'True', reason: 'x', message: 'x' }],
};

export const admission: JsonObject = {
  clusterQueue: 'team',
  podSetAssignments: ['a', 'b'].map((name) => ({ name, count: 1, flavors: { cpu: 'spot' } })),
};

/** The conditions of an admitted Workload. */
export const admitted = { QuotaReserved: 'QuotaReserved', Admitted: 'Admitted' };

function conditionFrom([type, words = '']: readonly [string, string | undefined]): Condition {
  return {
    type,
    status: words.startsWith('!') ? 'False' : 'True',
    reason: words.replace('!', ''),
    message: `${type} because`,
    lastTransitionTime: '2026-11-27T09:59:00Z',
  };
}

/** `at`: the time of the decision. */
export function decision(snapshot: QueueSnapshot, at?: string): Decision {
  return lawfulDecision(decide, snapshot, { nowMs: at === undefined ? nowMs : Date.parse(at) });
}

/** All operations of the decision, in their order. */
export function decided(snapshot: QueueSnapshot): readonly Operation[] {
  return decision(snapshot).plan.flat();
}

/** For example `create Workload`, `patch JobFlow`, `Event Started`. */
export function words(operations: readonly Operation[]): readonly string[] {
  return operations.map((each) =>
    each.kind === 'emitEvent' ? `Event ${each.reason}` : `${each.kind} ${each.resource.kind}`,
  );
}

/** The written conditions, as `Type=Status Reason`. */
export function conditionsIn(operations: readonly Operation[]): readonly string[] {
  return operations.flatMap((each) => {
    if (each.kind !== 'patchStatus') return [];
    const list = (each.status['conditions'] ?? []) as unknown as readonly Condition[];
    return list.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  });
}

export function patchesIn(operations: readonly Operation[]): readonly JsonObject[] {
  return operations.flatMap((each) => (each.kind === 'patch' ? [each.patch] : []));
}
