/** Decides, and presents the decision in the terms of the tests. */
import { expect } from 'vitest';
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { asStored, withAllRecords } from '#shared/api/step-records.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject, NewObject } from '#shared/domain/objects.ts';
import type {
  CreateOperation,
  DeleteOperation,
  EmitEventOperation,
  Operation,
  PatchOperation,
} from '#shared/domain/plan.ts';
import { lawfulDecision } from '#shared/domain/testing/lawful-decision.ts';
import { decide } from '../decide.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { t0 } from './builders.ts';

export interface Decided {
  readonly decision: Decision;
  /** The status after the plan, even if the plan does not write it, with an entry for each step. */
  readonly status: JobFlowStatus;
  readonly writesStatus: boolean;
  /** Names of the Jobs that are created, in plan order. */
  readonly creates: readonly string[];
  readonly events: readonly string[];
  readonly patches: readonly PatchOperation[];
  readonly deletes: readonly DeleteOperation[];
  step(name: string): StepRecord;
  created(name: string): NewObject;
  condition(type: string): string | undefined;
}

export function decided(snapshot: FlowSnapshot, secondsAfterT0 = 0): Decided {
  const input = { nowMs: t0 + secondsAfterT0 * 1000 };
  return lookAt(snapshot, lawfulDecision(decide, snapshot, input));
}

/** The snapshot after a retry by hand is on record. A decision that records one creates nothing (rule 13). */
export function withRetry(snapshot: FlowSnapshot, secondsAfterT0 = 0): FlowSnapshot {
  const { decision, creates, status } = decided(snapshot, secondsAfterT0);
  expect(creates).toEqual([]);
  expect(decision.requeueAtMs).toBe(t0 + secondsAfterT0 * 1000);
  return { ...snapshot, flow: { ...snapshot.flow, status } };
}

export function lookAt(snapshot: FlowSnapshot, decision: Decision): Decided {
  const operations = decision.plan.flat();
  const patch = operations.find((operation) => operation.kind === 'patchStatus');
  const { metadata, spec, status: seen = {} } = snapshot.flow;
  const before = asStored(spec.flows, seen) as JsonObject;
  const after = applyMergePatch(before, patch?.status ?? {}) as JobFlowStatus;
  const status = withAllRecords(metadata, spec.flows, after);
  const creates = ofKind<CreateOperation>(operations, 'create');
  return {
    decision,
    status,
    writesStatus: patch !== undefined,
    creates: creates.map(({ object }) => object.metadata.name),
    events: ofKind<EmitEventOperation>(operations, 'emitEvent').map(({ reason }) => reason),
    patches: ofKind<PatchOperation>(operations, 'patch'),
    deletes: ofKind<DeleteOperation>(operations, 'delete'),
    step: (name) => {
      const found = status.jobStatusList?.find((entry) => entry.name === name);
      if (found === undefined) throw new Error(`the status has no step ${name}`);
      return found;
    },
    created: (name) => {
      const found = creates.find(({ object }) => object.metadata.name === name);
      if (found === undefined) throw new Error(`no Job ${name} is created`);
      return found.object;
    },
    condition: (type) => {
      const found = status.conditions?.find((entry) => entry.type === type);
      return found === undefined ? undefined : `${found.status}/${found.reason}`;
    },
  };
}

/** The value at this path of an object, such as a rendered Job. */
export function inside(value: unknown, ...path: readonly (string | number)[]): Json | undefined {
  let found: unknown = value;
  for (const key of path) found = (found as Readonly<Record<string | number, unknown>>)[key];
  return found as Json | undefined;
}

function ofKind<Kind extends Operation>(
  operations: readonly Operation[],
  kind: Kind['kind'],
): readonly Kind[] {
  return operations.filter((operation): operation is Kind => operation.kind === kind);
}
