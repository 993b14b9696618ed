/** Compares a plan with the rules in both directions: most bugs write too much. */
import type { Decision } from '#shared/domain/decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { EmitEventOperation, Operation, PatchOperation } from '#shared/domain/plan.ts';
import { differs } from './created-job.ts';
import type { PredictedConditions } from './predicted-conditions.ts';
import type { PredictedEvent } from './predicted-events.ts';

export function prefixed(rule: string, faults: readonly string[]): readonly string[] {
  return faults.map((fault) => `${rule}: ${fault}`);
}

/** As a line of the required writes. */
export function ofJob(verb: string) {
  return ({ metadata }: KubeObject) => `${verb} ${metadata.name} ${metadata.uid}`;
}

export function operationDifferences(
  owner: string,
  wanted: readonly string[],
  operations: readonly Operation[],
): readonly string[] {
  const came = operations.flatMap((operation) => described(owner, operation));
  return [
    ...wanted.filter((line) => !came.includes(line)).map((line) => `expected to ${line}`),
    ...came
      .filter((line, index) => !wanted.includes(line) || came.indexOf(line) !== index)
      .map((line) => `not expected to ${line}`),
  ];
}

/** Status writes and Events are judged separately. */
function described(owner: string, operation: Operation): readonly string[] {
  switch (operation.kind) {
    case 'create':
      return [
        `create ${operation.object.metadata.name}${operation.ownerUid === owner ? '' : ' for another owner'}`,
      ];
    case 'patch':
      return [`${effectOf(owner, operation)} ${operation.target.name} ${operation.uid}`];
    case 'delete': {
      const version =
        operation.resourceVersion === undefined ? '' : ` ${operation.resourceVersion}`;
      return [
        `delete ${operation.propagation} ${operation.target.name} ${operation.uid}${version}`,
      ];
    }
    case 'patchStatus':
    case 'emitEvent':
      return [];
  }
}

function effectOf(owner: string, { patch }: PatchOperation): string {
  const mark = (value: string | null) =>
    JSON.stringify({ annotations: { 'millrace.dev/suspended-by': value } });
  const { spec, metadata } = patch as {
    spec?: { suspend?: boolean; ttlSecondsAfterFinished?: number | null };
    metadata?: { annotations?: Readonly<Record<string, string | null>> };
  };
  const { suspend, ttlSecondsAfterFinished: seconds } = spec ?? {};
  if (suspend === true && JSON.stringify(metadata) === mark(owner)) return 'suspend';
  if (suspend === false && JSON.stringify(metadata) === mark(null)) return 'resume';
  if (suspend === undefined && seconds === null) {
    return `take off the TTL and note ${metadata?.annotations?.[annotations.ttlSecondsAfterFinished]}`;
  }
  return suspend === undefined && metadata === undefined && seconds !== undefined
    ? `let expire in ${seconds} s`
    : `patch ${JSON.stringify(patch)} of`;
}

/** Children first, then the Events, then the record (plan-3). */
export function orderFaults({ plan }: Decision): readonly string[] {
  const ranks = plan.flatMap((stage) =>
    stage.map(({ kind }) => (kind === 'patchStatus' ? 2 : kind === 'emitEvent' ? 1 : 0)),
  );
  const stages = plan.map(
    (stage) => new Set(stage.map(({ kind }) => kind === 'patchStatus' || kind === 'emitEvent')),
  );
  const isOrdered = ranks.every((rank, index) => rank >= (ranks[index - 1] ?? 0));
  return isOrdered && stages.every(({ size }) => size === 1)
    ? []
    : ['not the children, then the Events, then the record'];
}

export function eventFaults(
  wanted: readonly PredictedEvent[],
  emitted: readonly EmitEventOperation[],
): readonly string[] {
  const name = ({ reason, type }: { readonly reason: string; readonly type: string }) =>
    `${type} ${reason}`;
  return [
    ...differs('reasons', wanted.map(name), emitted.map(name)),
    ...wanted.flatMap(({ reason, mentions }, index) =>
      mentions
        .filter((word) => emitted[index]?.note.includes(word) !== true)
        .map((word) => `${reason} does not say ${word}: ${emitted[index]?.note ?? ''}`),
    ),
  ];
}

export function conditionDifferences(
  expected: PredictedConditions,
  came: PredictedConditions,
): readonly string[] {
  const types = new Set([...Object.keys(expected), ...Object.keys(came)]);
  return [...types].flatMap((type) =>
    differs(`condition ${type}`, said(expected[type]), said(came[type])),
  );
}

function said(condition: PredictedConditions[string] | undefined): string | undefined {
  return condition && `${condition.isTrue} ${condition.reason} since ${condition.since}`;
}

/** The wording is free, but it must name its subjects. */
export function lacks(
  what: string,
  message: string | undefined,
  mentions: readonly string[] = [],
): readonly string[] {
  return mentions
    .filter((word) => message?.includes(word) !== true)
    .map((word) => `${what}: its message does not say ${word}: ${message ?? ''}`);
}

/** Names as whole words, because one may begin like another. */
export function saysStill(
  what: string,
  message = '',
  omits: readonly string[] = [],
): readonly string[] {
  const words = new Set(message.split(/[\s,:]+/));
  return omits
    .filter((name) => words.has(name))
    .map((name) => `${what}: its message says ${name} still: ${message}`);
}

/** RFC 7386. */
export function merged(target: object, patch: object): object {
  const result: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const inner = result[name];
      result[name] = merged(
        typeof inner === 'object' && !Array.isArray(inner) ? (inner ?? {}) : {},
        value as object,
      );
    } else result[name] = value;
  }
  return result;
}
