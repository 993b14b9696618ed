/**
 * Objects whose runs fail. A failure that lasts is reported on the object, because nothing else would show its users why
 * it stands still.
 */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';

/** Reason of the Event. */
export const cannotGoOn = 'CannotGoOn';

/** Why a run failed. */
export interface Trouble {
  /** The same for the same failure. */
  readonly cause: string;
  /** For the object's users. It quotes nothing of the program. */
  readonly words: string;
}

/** Shorter than the retries before an item is parked, milliseconds. A shorter failure is not worth an Event. */
const lastingMs = 10_000;
/** API servers keep an Event for an hour, milliseconds. */
const reportAgainMs = 1_800_000;
/** An object that failed so long ago was deleted, or is looked at by another process, milliseconds. */
const forgottenMs = 600_000;

interface Failing {
  readonly sinceMs: number;
  readonly latestMs: number;
  readonly reported?: { readonly cause: string; readonly atMs: number };
}

export class FailingObjects {
  readonly #clock: MonotonicClock;
  /** Oldest failure first. */
  readonly #failing = new Map<Uid, Failing>();

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /** Records a failure. Returns whether to report it now. `isFinal`: the object is not tried again by itself. */
  fail(uid: Uid, cause: string, isFinal: boolean): boolean {
    const nowMs = this.#clock.monotonicMs();
    const { sinceMs = nowMs, reported } = this.#failing.get(uid) ?? {};
    const isReported = reported?.cause === cause && nowMs - reported.atMs < reportAgainMs;
    const isNews = !isReported && (isFinal || nowMs - sinceMs >= lastingMs);
    this.#failing.delete(uid);
    const latest = isNews ? { cause, atMs: nowMs } : reported;
    this.#failing.set(uid, {
      ...{ sinceMs, latestMs: nowMs },
      ...(latest === undefined ? {} : { reported: latest }),
    });
    this.#forget(nowMs);
    return isNews;
  }

  succeed(uid: Uid): void {
    this.#failing.delete(uid);
  }

  #forget(nowMs: number): void {
    for (const [uid, { latestMs }] of this.#failing) {
      if (nowMs - latestMs <= forgottenMs) break;
      this.#failing.delete(uid);
    }
  }
}

/** The API server's answer may be about the object, and stays until something is changed. */
const reportable: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'MR_API_DENIED',
  'MR_API_FORBIDDEN',
  'MR_API_INVALID',
  'MR_API_NOT_FOUND',
  'MR_API_REFUSED',
  'MR_API_TOO_LARGE',
]);

/**
 * Undefined: it is no failure of this object. The state has changed, or the API server or Redis is busy or away, which
 * the metrics show.
 */
export function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof MillraceError)) {
    // Its message may quote what was read.
    const name = error instanceof Error ? error.name : typeof error;
    return { cause: name, words: `a fault of Millrace (${name}), which its log describes` };
  }
  const { code, fields, message, next } = error;
  // Some faults in an object are answered like a fault of the server.
  const isServerError = code === 'MR_API_RETRYABLE' && fields['status'] === 500;
  if (!reportable.has(code) && !isServerError) return undefined;
  const cause = [code, fields['verb'], fields['path']].join(' ');
  return { cause, words: `${code}: ${message}; ${next}` };
}

export function troubleOfRefusals(rejections: readonly Rejection[]): Trouble {
  const causes = rejections.map(({ code, name, uid }) => `${code} ${uid ?? name}`);
  const words = refusedWords(rejections);
  return { cause: causes.join(' '), words: `the API server refuses a write: ${words}` };
}

/** For example `flow-a: Forbidden: ...`. */
export function refusedWords(rejections: readonly Rejection[]): string {
  return rejections.map(({ code, name, message }) => `${name}: ${code}: ${message}`).join('; ');
}
