/** Decides, and presents the decision in the terms of the tests. */
import { expect } from 'vitest';
import type { DaemonJobStatus, NodeEntry } from '#shared/api/daemon-job.ts';
import { readLedger } from '#shared/api/node-ledger.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json, NewObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { lawfulDecision } from '#shared/domain/testing/lawful-decision.ts';
import { decide } from '../decide.ts';
import type { DaemonSnapshot } from '../snapshot.ts';
import { node, t0 } from './builders.ts';

export interface Decided {
  readonly decision: Decision;
  /** The status after the plan, even if the plan does not write it. */
  readonly status: DaemonJobStatus;
  readonly writesStatus: boolean;
  /** Nodes for which Jobs are created, in plan order. */
  readonly creates: readonly string[];
  /** The number of creates in each stage. */
  readonly stages: readonly number[];
  readonly events: readonly string[];
  readonly deletes: readonly string[];
  readonly patches: readonly Json[];
  readonly created: readonly NewObject[];
  /** The node's entry in the ledger, as `Failed/1`. */
  ledger(name: string): string | undefined;
  entry(name: string): NodeEntry | undefined;
  condition(type: string): string | undefined;
  /** Seconds after t0. */
  readonly again: number | undefined;
}

export function decided(
  snapshot: DaemonSnapshot,
  secondsAfterT0 = 0,
  isUnderLoad = false,
): Decided {
  const input = { nowMs: t0 + secondsAfterT0 * 1000, isUnderLoad };
  return lookAt(snapshot, lawfulDecision(decide, snapshot, input));
}

/** The snapshot with the status after the decision. */
export function after(snapshot: DaemonSnapshot, { status }: Decided): DaemonSnapshot {
  return { ...snapshot, daemonJob: { ...snapshot.daemonJob, status } };
}

/** The snapshot after a retry by hand is on record. A decision that records one creates nothing (rule 13). */
export function withRetry(snapshot: DaemonSnapshot, secondsAfterT0 = 0): DaemonSnapshot {
  const first = decided(snapshot, secondsAfterT0);
  expect(first.creates).toEqual([]);
  expect(first.again).toBe(secondsAfterT0);
  return after(snapshot, first);
}

function lookAt({ daemonJob }: DaemonSnapshot, decision: Decision): Decided {
  const operations: readonly Operation[] = decision.plan.flat();
  const patch = operations.find((operation) => operation.kind === 'patchStatus');
  const seen = (daemonJob.status ?? {}) as Json;
  const status = applyMergePatch(seen, patch?.status ?? {}) as unknown as DaemonJobStatus;
  const created = operations.flatMap((each) => (each.kind === 'create' ? [each.object] : []));
  const stages = decision.plan.map((stage) => stage.filter(({ kind }) => kind === 'create').length);
  const { requeueAtMs } = decision;
  return {
    decision,
    status,
    writesStatus: patch !== undefined,
    creates: created.map(({ metadata }) => metadata.annotations?.['millrace.dev/node-name'] ?? ''),
    stages: stages.filter((count) => count > 0),
    events: operations.flatMap((each) => (each.kind === 'emitEvent' ? [each.reason] : [])),
    deletes: operations.flatMap((each) => (each.kind === 'delete' ? [each.target.name] : [])),
    patches: operations.flatMap((each) => (each.kind === 'patch' ? [each.patch] : [])),
    created,
    ledger: (name) => {
      const entry = readLedger(status.ledger).get(node(name).key);
      if (entry === undefined) return undefined;
      return entry.attempt === 0 ? entry.state : `${entry.state}/${entry.attempt}`;
    },
    entry: (name) => status.nodes?.find((each) => each.name === name),
    condition: (type) => {
      const found = status.conditions?.find((each) => each.type === type);
      return found === undefined ? undefined : `${found.status}/${found.reason}`;
    },
    again: requeueAtMs === undefined ? undefined : (requeueAtMs - t0) / 1000,
  };
}
