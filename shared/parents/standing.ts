/** The status of a parent that is not decided about, either any more or for now. */
import { observedGeneration } from '#shared/domain/findings.ts';
import { notAccepted } from './acceptance.ts';
import { lookedAt, nextConditions } from './conditions.ts';
import { retryFinding, type RetryOutcome } from './manual-retry.ts';
import type { Parent, ParentStatus } from './parent.ts';

type Of<Status extends ParentStatus> = Pick<Parent, 'metadata'> & { readonly status?: Status };

/** It is being deleted: the garbage collector does the rest (rule 6). */
export function terminating<Status extends ParentStatus>(status: Status) {
  return { ...status, state: 'Terminating' } as const;
}

export type StandstillCause = Readonly<Record<'reason' | 'message', string>>;

/**
 * Its frozen spec was changed after the start. Nothing starts and nothing is concluded until it is
 * restored.
 */
export function standingStill<Status extends ParentStatus>(
  parent: Of<Status>,
  { reason, message }: StandstillCause,
  nowMs: number,
) {
  const { metadata, status } = parent;
  return {
    ...status,
    ...observedGeneration(metadata.generation),
    reason,
    message,
    conditions: nextConditions(parent, nowMs, [notAccepted(reason, message)]),
  };
}

/** Its end is recorded. */
export function afterTheEnd<Status extends ParentStatus>(
  parent: Of<Status>,
  retry: RetryOutcome,
  nowMs: number,
) {
  const { status } = parent;
  const conditions = nextConditions(parent, nowMs, retryFinding(retry));
  const isNew = status?.conditions === undefined && conditions.length === 0;
  return { ...status, ...lookedAt(parent, retry), ...(isNew ? {} : { conditions }) };
}
