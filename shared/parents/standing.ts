/** The status of a parent that nothing is decided about any more, or not now. */
import { observedGeneration } from '#shared/domain/findings.ts';
import { notAccepted } from './acceptance.ts';
import { lookedAt, nextConditions } from './conditions.ts';
import { retryFinding, type RetryOutcome } from './manual-retry.ts';
import type { Parent, ParentStatus } from './parent.ts';

type Of<Status extends ParentStatus> = Pick<Parent, 'metadata'> & { readonly status?: Status };

/** Being deleted: the garbage collector does the rest (rule 6). */
export function terminating<Status extends ParentStatus>(status: Status) {
  return { ...status, state: 'Terminating' } as const;
}

export type StandstillCause = Readonly<Record<'reason' | 'message', string>>;

/** What runs was changed after the start: nothing starts and nothing is concluded until it is restored. */
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

/** The end is on record. */
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
