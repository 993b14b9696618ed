/** Decisions about an AppWrapper: one status write each, or none. */
import type {
  AppWrapperPhase,
  AppWrapperStatus,
  ComponentStatus,
} from '#shared/api/app-wrapper.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { type Finding, withFindings } from '#shared/domain/findings.ts';
import { stableJson } from '#shared/domain/hash.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { EmitEventOperation, Stage } from '#shared/domain/plan.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { shortened } from '#shared/domain/wording.ts';
import { patchStatus } from '#shared/parents/conclude.ts';
import type { Situation, WrapperCondition } from './situation.ts';

export type News = Finding<WrapperCondition>;

/** Changes of the status. */
export interface Change {
  readonly phase?: AppWrapperPhase;
  readonly resettingCount?: number;
  readonly news?: readonly News[];
  readonly components?: readonly ComponentStatus[];
}

export interface Around {
  /** Writes before the status that records them. */
  readonly before?: readonly Stage[];
  readonly events?: readonly EmitEventOperation[];
  readonly requeueAtMs?: number;
}

/** Nothing to do now. */
export function notYet(code: string, message: string, requeueAtMs?: number): Decision {
  return {
    plan: [],
    reasons: [{ code, message }],
    ...(requeueAtMs === undefined ? {} : { requeueAtMs }),
  };
}

/** An unchanged status is not written. */
export function moved(
  situation: Situation,
  code: string,
  message: string,
  change: Change,
  { before = [], events = [], requeueAtMs }: Around = {},
): Decision {
  const status = statusWith(situation, change);
  const write = stableJson(status) === stableJson(partBefore(situation, status)) ? [] : [status];
  const stages = [
    ...before,
    events,
    write.map((each) => patchStatus(situation.wrapper, resources.AppWrapper, each)),
  ];
  return {
    ...notYet(code, message, requeueAtMs),
    plan: stages.filter((stage) => stage.length > 0),
  };
}

function statusWith(
  { status, wrapper, nowMs }: Situation,
  { news = [], components, ...rest }: Change,
): JsonObject {
  const { generation } = wrapper.metadata;
  const conditions = withFindings(status.conditions ?? [], news, { nowMs, generation });
  const next = {
    ...rest,
    ...(news.length === 0 ? {} : { conditions }),
    ...(components === undefined ? {} : { componentStatus: components }),
  };
  return next as unknown as JsonObject;
}

function partBefore({ status }: Situation, wanted: JsonObject): JsonObject {
  const before = status as AppWrapperStatus & JsonObject;
  return Object.fromEntries(Object.keys(wanted).map((field) => [field, ownMember(before, field)]));
}

/** Limit for an Event's note, characters. */
const longestNote = 900;

/** Reasons are those of the original controller. `occurrence` distinguishes Events with the same reason. */
export function event(
  { snapshot: { key } }: Situation,
  type: EmitEventOperation['type'],
  reason: string,
  note: string,
  occurrence: string,
): EmitEventOperation {
  const { apiVersion, kind, namespace, name, uid } = key;
  return {
    kind: 'emitEvent',
    regarding: { apiVersion, kind, namespace, name, uid },
    ...{ type, reason, action: reason, occurrence },
    note: shortened(note, longestNote),
  };
}

export function found(
  type: WrapperCondition,
  isTrue: boolean,
  reason: string,
  message: string,
): News {
  return { type, isTrue, reason, message };
}

/** Written only if the condition was reported before. */
export function noLonger(type: WrapperCondition, reason: string, message: string): News {
  return { ...found(type, false, reason, message), onlyWhenKnown: true };
}
