/** Compares the status that was read with the wanted one, for steps and flow. */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { isPlain } from '#shared/api/step-records.ts';
import { attemptOf } from './record.ts';

export interface Transitions {
  readonly before: JobFlowStatus;
  readonly after: JobFlowStatus;
  /** All wanted entries. */
  readonly records: readonly StepRecord[];
  /** Those with a new state, attempt or reason. */
  readonly steps: readonly StepRecord[];
}

export function transitionsOf(before: JobFlowStatus, after: JobFlowStatus): Transitions {
  const known = new Map((before.jobStatusList ?? []).map((record) => [record.name, record]));
  const records = after.jobStatusList ?? [];
  const steps = records.filter((record) => isNews(known.get(record.name), record));
  return { before, after, records, steps };
}

/** A step that still waits is no news if it had no recorded entry, as in a long flow. */
function isNews(before: StepRecord | undefined, after: StepRecord): boolean {
  if (before?.reason === undefined && before?.state === 'Waiting' && isPlain(after)) return false;
  return (
    before?.state !== after.state ||
    before.reason !== after.reason ||
    attemptOf(before) !== attemptOf(after)
  );
}

/** Templates that a retry by hand read again and that differ from their old pins. */
export function pinnedAnew({
  before,
  after,
}: Pick<Transitions, 'before' | 'after'>): readonly string[] {
  const known = new Map((before.pinnedTemplates ?? []).map((pin) => [pin.name, pin]));
  return (after.pinnedTemplates ?? []).flatMap(({ name, uid, generation }) => {
    const was = known.get(name);
    if (was === undefined || (was.uid === uid && was.generation === generation)) return [];
    const isOther = was.uid === uid ? '' : ' (another one of this name)';
    return [`template ${name}: generation ${was.generation} -> ${generation}${isOther}`];
  });
}
