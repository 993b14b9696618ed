/** Reads a function's HTTP answer, or its absence (see shared/runtime/function/verdict-reply.ts). Pure. */
import { parseHttpDate } from '#shared/domain/time.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import { faultText } from '#shared/kube/broken-connection.ts';
import { requeueHeader } from '#shared/runtime/function/verdict-reply.ts';
import type { Delivery } from './deliver.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The reason that the function gives. Empty: none. */
  readonly detail: string;
  /** Title of the problem details: an error code of Millrace, or words for the status. */
  readonly title?: string;
}

/** The longest delay that a server may ask for, milliseconds. */
export const longestRetryAfterMs = 300_000;

/** The verdict. A date in Retry-After is compared with `nowMs`. */
export function verdictOfAnswer(answer: HttpAnswer, nowMs: number): Delivery {
  const { status } = answer;
  const detail = `${status}${answer.detail === '' ? '' : `: ${answer.detail}`}`;
  if (status < 300) return accepted(answer);
  const after = afterMs(answer.headers['retry-after'], nowMs);
  if (status === 409 || status === 429 || status === 503)
    return { kind: 'later', ...after, detail };
  if (status === 401) return { kind: 'refused', detail };
  // 404 and 408 pass: a route that is being set up, a request that was too slow.
  if (status === 404 || status === 408 || status >= 500) return { kind: 'retry', ...after, detail };
  return { kind: 'parked', detail };
}

/** Errors of Node.js and undici that occur before anything is sent. */
const noConnection: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The verdict for a request without an answer. `reason` becomes its detail. */
export function verdictOfFailure(error: unknown, reason = faultText(error)): Delivery {
  const detail = `the function was not reached: ${reason}`;
  return { kind: noConnection.has(codeOf(error)) ? 'unreachable' : 'retry', detail };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

function accepted({ status, headers }: HttpAnswer): Verdict {
  const wait = headers[requeueHeader];
  if (status !== 202 || wait === undefined) return { kind: 'done' };
  if (!/^\d{1,15}$/.test(wait)) {
    return { kind: 'retry', detail: `${requeueHeader} is no number: ${wait.slice(0, 64)}` };
  }
  return { kind: 'requeue', afterMs: Number(wait) };
}

/** RFC 9110 section 10.2.3: seconds or a date. Any other value counts as absent. */
function afterMs(value: string | undefined, nowMs: number): { readonly afterMs?: number } {
  if (value === undefined) return {};
  const wanted = /^\d+$/.test(value) ? Number(value) * 1000 : untilMs(value, nowMs);
  if (wanted === undefined) return {};
  return { afterMs: Math.min(Math.max(wanted, 0), longestRetryAfterMs) };
}

function untilMs(date: string, nowMs: number): number | undefined {
  const atMs = parseHttpDate(date);
  return atMs === undefined ? undefined : atMs - nowMs;
}
