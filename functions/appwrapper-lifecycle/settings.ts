/** The fault tolerance of an AppWrapper: its annotations over the defaults (cases U7 to U11). */
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { wholeNumber } from '#shared/domain/whole-number.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { goDurationMs } from '#shared/domain/go-duration.ts';

export interface FaultTolerance {
  /** From the creation of the resources until all Pods exist. */
  readonly admissionGraceMs: number;
  /** From the creation of the resources until all Pods run. */
  readonly warmupGraceMs: number;
  /** Time from the failure of a Pod until it counts. */
  readonly failureGraceMs: number;
  /** Pause between a fault and the next try. */
  readonly retryPauseMs: number;
  readonly retryLimit: number;
  /** After this time, what is left is deleted by force. */
  readonly forcefulDeletionGraceMs: number;
  /** The resources of a failed wrapper are kept for this time for inspection. */
  readonly deletionOnFailureGraceMs: number;
  /** The resources of a successful wrapper are kept for this time. */
  readonly successTtlMs: number;
  readonly terminalExitCodes: readonly number[];
  /** Empty: every code permits another try. */
  readonly retryableExitCodes: readonly number[];
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const defaults: FaultTolerance = {
  admissionGraceMs: minuteMs,
  warmupGraceMs: 5 * minuteMs,
  failureGraceMs: minuteMs,
  retryPauseMs: 90_000,
  retryLimit: 3,
  forcefulDeletionGraceMs: 10 * minuteMs,
  deletionOnFailureGraceMs: 0,
  successTtlMs: 7 * 24 * hourMs,
  terminalExitCodes: [],
  retryableExitCodes: [],
};
export const graceCeilingMs = 24 * hourMs;

type Setting = keyof typeof wrapperAnnotations;

export function settingsOf(
  { annotations = {} }: Pick<ObjectMeta, 'annotations'>,
  usual: FaultTolerance = defaults,
  ceilingMs = graceCeilingMs,
): FaultTolerance {
  const text = (setting: Setting): string | undefined => annotations[wrapperAnnotations[setting]];
  const grace = (setting: Setting, otherwise: number): number =>
    Math.min(Math.max(durationOf(text(setting)) ?? otherwise, 0), ceilingMs);
  return {
    admissionGraceMs: grace('admissionGrace', usual.admissionGraceMs),
    warmupGraceMs: grace('warmupGrace', usual.warmupGraceMs),
    failureGraceMs: grace('failureGrace', usual.failureGraceMs),
    retryPauseMs: grace('retryPause', usual.retryPauseMs),
    retryLimit: wholeNumber(text('retryLimit') ?? '') ?? usual.retryLimit,
    forcefulDeletionGraceMs: grace('forcefulDeletionGrace', usual.forcefulDeletionGraceMs),
    deletionOnFailureGraceMs: grace('deletionOnFailureGrace', usual.deletionOnFailureGraceMs),
    successTtlMs: successTtl(durationOf(text('successTtl')), usual.successTtlMs),
    terminalExitCodes: exitCodes(text('terminalExitCodes')),
    retryableExitCodes: exitCodes(text('retryableExitCodes')),
  };
}

/** The default is also the maximum. */
function successTtl(asked: number | undefined, ceilingMs: number): number {
  return asked !== undefined && asked > 0 && asked < ceilingMs ? asked : ceilingMs;
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : goDurationMs(text);
}

/** Entries that are no numbers are skipped. Blanks are not trimmed. */
function exitCodes(text = ''): readonly number[] {
  return text.split(',').flatMap((each) => wholeNumber(each) ?? []);
}
