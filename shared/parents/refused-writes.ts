/**
 * Writes on existing children that the API server refused, mostly by an admission of the cluster. The rest of the plan
 * and the status are written without them: otherwise one refused write would keep everything else from being
 * recorded, and nothing would say why.
 */
import type { Condition } from '#shared/domain/conditions.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { DeleteOperation, Operation, PatchOperation } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { also } from '#shared/domain/announcements.ts';
import { nextConditions } from './conditions.ts';
import type { Parent, ParentStatus } from './parent.ts';
import { askAgainMs } from './refusals.ts';

export interface Draft<Status extends ParentStatus = ParentStatus> {
  /** Writes on children, independent of one another. */
  readonly operations: readonly Operation[];
  readonly status: Status;
  /** When to decide again even without an event, milliseconds since the epoch. */
  readonly dueMs: readonly (number | undefined)[];
}

/** Separates refusals of creates, by name, from those of writes on existing children, by uid. */
export function sortedRejections(all: readonly Rejection[]): {
  readonly rejections: ReadonlyMap<string, Rejection>;
  readonly refusedWrites: ReadonlyMap<Uid, Rejection>;
} {
  return {
    rejections: new Map(all.flatMap((each) => (each.uid === undefined ? [[each.name, each]] : []))),
    refusedWrites: new Map(
      all.flatMap((each) => (each.uid === undefined ? [] : [[each.uid, each]])),
    ),
  };
}

interface Deciding {
  readonly parent: Pick<Parent, 'metadata' | 'status'>;
  readonly refusedWrites: ReadonlyMap<Uid, Rejection>;
  readonly nowMs: number;
}

/** The draft without the refused writes, and with a status that says so. */
export function withoutRefused<Status extends ParentStatus, Drafted extends Draft<Status>>(
  { parent, refusedWrites, nowMs }: Deciding,
  draft: Drafted,
): Drafted {
  if (refusedWrites.size === 0) return draft;
  const refused = draft.operations.flatMap((operation) => {
    const rejection = isChange(operation) ? refusedWrites.get(operation.uid) : undefined;
    return rejection === undefined ? [] : [{ operation, rejection }];
  });
  const [first] = refused;
  if (first === undefined) return draft;
  const left = new Set<Operation>(refused.map(({ operation }) => operation));
  const { code } = first.rejection;
  const why = { reason: code === 'Invalid' ? 'Refused' : code, message: messageOf(refused) };
  return {
    ...draft,
    operations: draft.operations.filter((operation) => !left.has(operation)),
    status: blocked({ parent, nowMs }, draft.status, why),
    dueMs: [...draft.dueMs, askAgainMs([why.reason], parent.status ?? {}, nowMs)],
  };
}

type Change = PatchOperation | DeleteOperation;

function isChange(operation: Operation): operation is Change {
  return operation.kind === 'patch' || operation.kind === 'delete';
}

interface Refused {
  readonly operation: Operation;
  readonly rejection: Rejection;
}

function messageOf([first, ...others]: readonly Refused[]): string {
  if (first === undefined) return '';
  const { operation, rejection } = first;
  const change = operation.kind === 'delete' ? 'deleted' : 'changed';
  const rest = also(others.map((each) => each.rejection));
  return `Job ${rejection.name} cannot be ${change}: ${rejection.message}${rest}`;
}

/** The columns name it while the parent goes on. A refused create is named first. */
function blocked<Status extends ParentStatus>(
  { parent, nowMs }: Pick<Deciding, 'parent' | 'nowMs'>,
  status: Status,
  why: Readonly<Record<'reason' | 'message', string>>,
): Status {
  const type = 'Blocked';
  const isBlocked = (condition: Condition): boolean => condition.type === type;
  const wanted = status.conditions ?? [];
  if (wanted.find(isBlocked)?.status === 'True') return status;
  // Since when it is blocked follows from the recorded condition, not from the wanted one, which says that it is not.
  const known = nextConditions(parent, nowMs, [{ type, isTrue: true, ...why }]).find(isBlocked);
  const others = wanted.filter((condition) => !isBlocked(condition));
  return {
    ...status,
    ...(status.completionTime === undefined ? why : {}),
    conditions: [...others, ...(known === undefined ? [] : [known])],
  };
}
