/** Decides, and presents the decision in the terms of the tests. */
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Operation, PatchOperation } from '#shared/domain/plan.ts';
import { lawfulDecision } from '#shared/domain/testing/lawful-decision.ts';
import { decide } from '../decide.ts';
import type { SuspendSnapshot } from '../snapshot.ts';
import { t0 } from './builders.ts';

export interface Decided {
  readonly decision: Decision;
  readonly status: SuspendPolicyStatus;
  readonly writesStatus: boolean;
  /** Names of suspended objects, in the order of the plan. */
  readonly suspends: readonly string[];
  readonly resumes: readonly string[];
  /** Names of objects of which only annotations are written. */
  readonly annotates: readonly string[];
  /** The written note of an object. */
  readonly note: (name: string) => Json | undefined;
  readonly mark: (name: string) => Json | undefined;
  readonly patches: readonly PatchOperation[];
  readonly events: readonly string[];
  readonly condition: (type: string) => string | undefined;
  /** Seconds after t0. */
  readonly again: number | undefined;
}

export function decided(snapshot: SuspendSnapshot, secondsAfterT0 = 0): Decided {
  const input = { nowMs: t0 + secondsAfterT0 * 1_000 };
  return lookAt(snapshot, lawfulDecision(decide, snapshot, input));
}

function lookAt({ policy }: SuspendSnapshot, decision: Decision): Decided {
  const operations: readonly Operation[] = decision.plan.flat();
  const patches = operations.filter((operation) => operation.kind === 'patch');
  const statusPatch = operations.find((operation) => operation.kind === 'patchStatus');
  const seen = (policy.status ?? {}) as Json;
  const status = applyMergePatch(seen, statusPatch?.status ?? {}) as unknown as SuspendPolicyStatus;
  const setting = (suspend: boolean | undefined) =>
    patches
      .filter(({ resource }) => resource.kind === 'Job')
      .filter(({ patch }) => (patch['spec'] as JsonObject | undefined)?.['suspend'] === suspend)
      .map(({ target }) => target.name);
  const annotation = (name: string, key: string) => {
    const found = patches.find(({ target }) => target.name === name);
    return ((found?.patch['metadata'] as JsonObject | undefined)?.['annotations'] as JsonObject)[
      key
    ];
  };
  const { requeueAtMs } = decision;
  return {
    decision,
    status,
    writesStatus: statusPatch !== undefined,
    suspends: setting(true),
    resumes: setting(false),
    annotates: setting(undefined),
    note: (name) => {
      const text = annotation(name, annotations.held);
      return typeof text === 'string' ? (JSON.parse(text) as Json) : text;
    },
    mark: (name) => annotation(name, annotations.suspendedBy),
    patches,
    events: operations.flatMap((each) =>
      each.kind === 'emitEvent' ? [`${each.regarding.name} ${each.reason}`] : [],
    ),
    condition: (type) => {
      const found = status.conditions?.find((each) => each.type === type);
      return found === undefined ? undefined : `${found.status}/${found.reason}`;
    },
    again: requeueAtMs === undefined ? undefined : (requeueAtMs - t0) / 1_000,
  };
}

/** The snapshot with the status after the decision. */
export function after(snapshot: SuspendSnapshot, { status }: Decided): SuspendSnapshot {
  return { ...snapshot, policy: { ...snapshot.policy, status } };
}
