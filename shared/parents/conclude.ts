/** Turns a wanted state into the plan for it (plan-1 to plan-3). */
import type { Decision, Reason } from '#shared/domain/decision.ts';
import { objectName, type JsonObject, type Resource } from '#shared/domain/objects.ts';
import type { PatchStatusOperation, Plan, Stage } from '#shared/domain/plan.ts';
import type { Parent } from './parent.ts';
import type { StatusWrite } from './status-write.ts';

export interface Conclusion {
  /** Writes on children, stage by stage. */
  readonly children: Plan;
  readonly write: StatusWrite;
  /** The Events to be written, with or without a status that records them. */
  readonly events: (isRecorded: boolean) => Stage;
  readonly reasons: readonly Reason[];
  /** When to look again even without an event, in milliseconds since the epoch. */
  readonly dueMs: readonly (number | undefined)[];
  /** More can be done after this status is written, and no event may report that it is. */
  readonly isFollowedUp: () => boolean;
  readonly nowMs: number;
}

/** Children first, then the Events that report it, then the status that records it. */
export function concluded(
  parent: Pick<Parent, 'metadata'>,
  resource: Resource,
  { children, write, events, reasons, dueMs, isFollowedUp, nowMs }: Conclusion,
): Decision {
  const { patch } = write;
  const isRecorded = patch !== undefined;
  const record = isRecorded ? [[patchStatus(parent, resource, patch)]] : [];
  const followUpMs = isRecorded && isFollowedUp() ? nowMs : undefined;
  const plan = [...children, events(isRecorded), ...record];
  return decision(plan, reasons, [...dueMs, write.dueMs, followUpMs]);
}

export function decision(
  stages: Plan,
  reasons: readonly Reason[],
  dueMs: readonly (number | undefined)[],
): Decision {
  const plan = stages.filter((stage) => stage.length > 0);
  const times = dueMs.filter((time) => time !== undefined);
  return times.length === 0
    ? { plan, reasons }
    : { plan, reasons, requeueAtMs: Math.min(...times) };
}

/** Bound to the version that was read. */
export function patchStatus(
  { metadata }: Pick<Parent, 'metadata'>,
  resource: Resource,
  status: JsonObject,
): PatchStatusOperation {
  const { uid, resourceVersion } = metadata;
  const target = objectName(metadata);
  return { kind: 'patchStatus', resource, target, uid, resourceVersion, status };
}
