import { functions } from '#functions/list.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { chosenDecisions } from '../journal/choose-entries.ts';
import type { JournalOptions } from '../journal/journal-options.ts';
import { openEntries } from '../journal/open-journal.ts';
import { requireFunction } from '../journal/require-function.ts';
import { nearHint, notingNames } from '../journal/recorded-names.ts';
import { namedObject } from '../named-object.ts';
import { showProgress } from '../replay/progress.ts';
import { replayEntries } from '../replay/replay-entries.ts';
import { differenceLine, differenceText, tallyText } from '../replay/replay-text.ts';
import { jsonLine } from '../terminal/json-line.ts';

/**
 * `millrace replay [NAME]`: makes recorded decisions again. Returns the exit code: 0, or 9 if one differs. Throws
 * CommandFailure.
 */
export async function replay(
  what: string | undefined,
  options: JournalOptions,
  say: (line: string) => void,
): Promise<number> {
  const named = what === undefined ? undefined : namedObject(what);
  requireFunction(options.function);
  const byName = new Map(functions.map((fn) => [fn.subscription.name, fn]));
  const isJson = options.output === 'json';
  const progress = showProgress(process.stderr, () => performance.now());
  // For a name or a namespace the events are needed too: a decision's event may be about the named object.
  const decisionsOnly = named === undefined && options.namespace === undefined;
  let share: number | undefined;
  const onRead = (read: number) => void (share = read);
  const names = new Set<string>();
  const entries = notingNames(openEntries(options, { decisionsOnly, onRead }), names);
  const decisions = chosenDecisions(entries, named, options);
  const tally = await replayEntries(decisions, byName, {
    onProgress: (sofar) => {
      progress.advance(sofar.decisions, share);
    },
    onDifference: (found) => {
      progress.end();
      if (isJson) say(jsonLine(differenceLine(found)));
      else for (const line of differenceText(found)) say(line);
    },
  });
  progress.end();
  if (tally.decisions + tally.cutOff + tally.unknown === 0) {
    throw new CommandFailure(
      exitCodes.notFound,
      what === undefined
        ? 'the journal has no such decision'
        : `the journal has no such decision about ${what}${nearHint(named, names)}`,
      'millrace journal',
    );
  }
  say(isJson ? jsonLine(tally) : tallyText(tally));
  return tally.differences === 0 ? 0 : exitCodes.findings;
}
