import { functions } from '#functions/list.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { chosenDecisions } from '../journal/choose-entries.ts';
import type { JournalOptions } from '../journal/journal-options.ts';
import { openEntries } from '../journal/open-journal.ts';
import { requireFunction } from '../journal/require-function.ts';
import { namedObject } from '../named-object.ts';
import { assumedObjects } from '../replay/assumed-objects.ts';
import { showProgress } from '../replay/progress.ts';
import { otherDecision } from '../replay/other-decision.ts';
import { OtherDecisionText } from '../replay/other-decision-text.ts';
import { jsonLine } from '../terminal/json-line.ts';

/**
 * `millrace replay [NAME] --what-if FILE`: what would have been decided with the objects of the file. Today's
 * functions make each recorded decision twice, without the file and with it. Returns the exit code: 0, or 9 if one
 * differs. Throws CommandFailure.
 */
export async function whatIf(
  what: string | undefined,
  file: string,
  options: JournalOptions,
  say: (line: string) => void,
): Promise<number> {
  const named = what === undefined ? undefined : namedObject(what);
  requireFunction(options.function);
  const objects = await assumedObjects(file);
  const byName = new Map(functions.map((fn) => [fn.subscription.name, fn]));
  const progress = showProgress(process.stderr, () => performance.now());
  const text = new OtherDecisionText(say);
  let [decisions, concerned, differences] = [0, 0, 0];
  for await (const explained of chosenDecisions(openEntries(options), named, options)) {
    const fn = byName.get(explained.decision.function);
    if (explained.decision.kind === 'cutOff' || fn === undefined) continue;
    decisions += 1;
    progress.advance(decisions);
    const other = otherDecision(fn, explained.decision, objects);
    if (other === undefined) continue;
    concerned += 1;
    if (other.difference === undefined) continue;
    differences += 1;
    progress.end();
    if (options.output === 'json') say(jsonLine(other));
    else text.add(other);
  }
  progress.end();
  text.end();
  if (concerned === 0) throw nothingConcerned(objects, decisions);
  const tally = { decisions, concerned, differences };
  say(
    options.output === 'json'
      ? jsonLine(tally)
      : `${concerned} of ${decisions} decisions stand on what ${file} has; ${differences} would differ`,
  );
  return differences === 0 ? 0 : exitCodes.findings;
}

function nothingConcerned(objects: readonly NewObject[], decisions: number): CommandFailure {
  const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ');
  return new CommandFailure(
    exitCodes.notFound,
    `none of ${decisions} recorded decisions stands on ${names}`,
    'millrace journal',
  );
}
