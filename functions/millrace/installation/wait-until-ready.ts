/** Waits for `install` and `upgrade`. Reports each object that becomes ready, and at times those that are not. */
import { listed } from '#shared/domain/wording.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { Check } from './cluster-checks.ts';

export interface Wait {
  /** The state of every installed object, in the same order each time. */
  readonly look: () => Promise<readonly Check[]>;
  readonly timeoutSeconds: number;
  /** Prints the result. */
  readonly say: (line: string) => void;
  /** Prints a line of progress. */
  readonly report: (line: string) => void;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const betweenLooksMs = 1_000;
const betweenReportsMs = 5_000;
const longestList = 5;

/** Objects that are ready at once are not reported. Throws CommandFailure after the timeout. */
export async function waitUntilReady(wait: Wait): Promise<void> {
  const startMs = wait.nowMs();
  let reportedMs = startMs;
  let awaited = new Set<string>();
  for (;;) {
    const checks = await wait.look();
    const bad = checks.filter(({ isGood }) => !isGood);
    const nowMs = wait.nowMs();
    const passedSeconds = Math.round((nowMs - startMs) / 1_000);
    for (const { about } of checks.filter((check) => check.isGood && awaited.has(check.about))) {
      wait.report(`ready: ${about} (${passedSeconds} s)`);
    }
    awaited = new Set(bad.map(({ about }) => about));
    if (bad.length === 0) {
      wait.say(`ready after ${passedSeconds} s`);
      return;
    }
    if (passedSeconds >= wait.timeoutSeconds) throw tooLate(bad, checks.length, wait);
    if (nowMs - reportedMs >= betweenReportsMs) {
      reportedMs = nowMs;
      wait.report(`waiting for ${stillAwaited(bad)} (${passedSeconds} s)`);
    }
    await wait.sleep(betweenLooksMs);
  }
}

/** The objects with what is known about each. */
function stillAwaited(bad: readonly Check[]): string {
  const words = bad.map(({ about, detail }) => `${about}: ${detail}`);
  return bad.length > longestList
    ? `${bad.length} objects: ${listed(
        bad.map(({ about }) => about),
        longestList,
      )}`
    : words.join('; ');
}

function tooLate(bad: readonly Check[], of: number, { timeoutSeconds, say }: Wait): CommandFailure {
  for (const { about, detail, next } of bad) {
    say(`FAIL ${about}: ${detail}${next === undefined ? '' : `; ${next}`}`);
  }
  return new CommandFailure(
    exitCodes.timeout,
    `${bad.length} of ${of} are not ready after ${timeoutSeconds} s`,
    'millrace doctor --cluster',
  );
}
