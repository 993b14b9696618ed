import type { Verdict } from '#shared/domain/verdict.ts';

/** On a 202: wait for this time before looking again, in whole milliseconds. */
export const requeueHeader = 'millrace-requeue-after-ms';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for success: a Knative broker treats any body but an event as a failure. */
  readonly detail?: string;
}

/** The answer of a function; the dispatcher reads it back (functions/dispatcher/verdicts.ts). */
export function replyOf(verdict: Verdict): Reply {
  switch (verdict.kind) {
    case 'done':
      return { status: 204, headers: {} };
    case 'requeue':
      return { status: 202, headers: { [requeueHeader]: String(Math.ceil(verdict.afterMs)) } };
    case 'later':
      return {
        status: verdict.afterMs === undefined ? 409 : 503,
        headers: retryAfter(verdict.afterMs),
        detail: verdict.detail,
      };
    case 'retry':
      return { status: 500, headers: retryAfter(verdict.afterMs), detail: verdict.detail };
    case 'parked':
      return { status: 422, headers: {}, detail: verdict.detail };
  }
}

/** RFC 9110 section 10.2.3: whole seconds, rounded up, so that no retry comes too early. */
function retryAfter(afterMs: number | undefined): Record<string, string> {
  return afterMs === undefined ? {} : { 'retry-after': String(Math.ceil(afterMs / 1000)) };
}
