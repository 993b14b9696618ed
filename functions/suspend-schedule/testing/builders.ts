/** Objects with defaults: a test states only what matters to its rule. */
import type {
  ClusterSuspendPolicySpec,
  SuspendPolicy,
  SuspendPolicyStatus,
} from '#shared/api/suspend-policy.ts';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { finalizer } from '../decide/finalizer.ts';
import type { Rival, SelectedObject, SuspendSnapshot } from '../snapshot.ts';

/** A Monday, two hours after the nights of these policies have ended. */
export const t0 = Date.parse('2026-01-05T08:00:00Z');
export const at = (secondsAfterT0: number): string => rfc3339(t0 + secondsAfterT0 * 1_000);
export const hours = 3_600;

/** Open from 20:00 to 06:00. */
export const nights = {
  timeZone: 'UTC',
  windows: [{ name: 'night', open: '0 20 * * *', close: '0 6 * * *' }],
};
/** Seconds after t0. */
export const closedAt = -2 * hours;
export const opensAt = 12 * hours;
export const closesAt = 22 * hours;

export const uid = asUid('policy-uid');
/** A mark of the period that began this many seconds after t0. */
export const markIn = (since: number, of: string = uid) => `${of}/${t0 / 1_000 + since}`;

export interface PolicyFields {
  readonly status?: SuspendPolicyStatus;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
}

export function policy(
  spec: Partial<ClusterSuspendPolicySpec> = { schedule: nights },
  { status, deletionTimestamp, finalizers = [finalizer] }: PolicyFields = {},
): SuspendPolicy {
  return {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: 'SuspendPolicy',
    metadata: {
      name: 'nights',
      namespace: 'default',
      uid,
      resourceVersion: asResourceVersion('100'),
      generation: 1,
      creationTimestamp: at(-100 * hours),
      finalizers,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** A Job that has been running for longer than everything else. */
export function job(name: string, fields: Partial<SelectedObject> = {}): SelectedObject {
  return {
    kind: 'Job',
    namespace: 'default',
    name,
    uid: asUid(`uid-of-${name}`),
    resourceVersion: asResourceVersion('7'),
    generation: 1,
    createdAt: at(-24 * hours),
    suspend: false,
    isActive: fields.suspend !== true,
    hasRun: true,
    startedAt: at(-24 * hours),
    priority: 0,
    ...fields,
  };
}

/** A Job that the policy holds. */
export function held(name: string, fields: Partial<SelectedObject> = {}): SelectedObject {
  const note = {
    policy: 'SuspendPolicy/default/nights',
    reason: 'WindowClosed',
    since: at(closedAt),
    until: at(opensAt),
  };
  const mark = markIn(closedAt);
  return job(name, { suspend: true, mark, held: JSON.stringify(note), ...fields });
}

/** A Job that was submitted suspended. */
export function submitted(name: string, fields: Partial<SelectedObject> = {}): SelectedObject {
  return { ...omit(job(name, { suspend: true, hasRun: false }), 'startedAt'), ...fields };
}

export function rival(name: string, fields: Partial<Rival> = {}): Rival {
  const key = `SuspendPolicy/default/${name}`;
  return { key, uid: asUid(`uid-of-${name}`), precedence: 0, hasCapacity: false, ...fields };
}

export function snapshot(
  owner: SuspendPolicy,
  objects: readonly SelectedObject[] = [],
  fields: Partial<SuspendSnapshot> = {},
): SuspendSnapshot {
  return { policy: owner, rivals: [], objects, rejections: [], ...fields };
}
