/** Makes every recorded decision again, and counts the results. */
import type { Reason } from '#shared/domain/decision.ts';
import type { RecordedDecision } from '#shared/journal/recording.ts';
import type { ExplainedDecision } from '../journal/choose-entries.ts';
import type { Difference } from './first-difference.ts';
import type { Tally } from './replay-schema.ts';
import { type FunctionsByName, verifyDecision } from './verify-decision.ts';

export interface DifferentDecision {
  readonly recorded: RecordedDecision;
  readonly difference: Difference;
  /** Reasons of today's decision. */
  readonly reasons: readonly Reason[];
}

export interface ReplayHooks {
  readonly onDifference: (found: DifferentDecision) => void;
  readonly onProgress?: (tally: Readonly<Tally>) => void;
}

export async function replayEntries(
  decisions: AsyncIterable<ExplainedDecision>,
  functions: FunctionsByName,
  { onDifference, onProgress }: ReplayHooks,
): Promise<Readonly<Tally>> {
  const tally: Tally = { decisions: 0, differences: 0, cutOff: 0, unknown: 0, decidingMs: 0 };
  for await (const { decision: recorded } of decisions) {
    if (recorded.kind === 'cutOff') {
      tally.cutOff += 1;
      continue;
    }
    const startMs = performance.now();
    const verdict = verifyDecision(recorded, functions);
    tally.decidingMs += performance.now() - startMs;
    if (verdict.kind === 'unknownFunction') tally.unknown += 1;
    else tally.decisions += 1;
    if (verdict.kind === 'different') {
      tally.differences += 1;
      const { difference, reasons } = verdict;
      onDifference({ recorded, difference, reasons });
    }
    onProgress?.(tally);
  }
  return tally;
}
