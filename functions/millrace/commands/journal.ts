import { setTimeout as sleep } from 'node:timers/promises';
import { recordingHead } from '#shared/journal/recording.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { chosenDecisions, chosenEntries } from '../journal/choose-entries.ts';
import { decisionLine, decisionText } from '../journal/decision-line.ts';
import type {
  EntryChoice,
  JournalOptions,
  JournalSourceOptions,
} from '../journal/journal-options.ts';
import { openEntries } from '../journal/open-journal.ts';
import { requireFunction } from '../journal/require-function.ts';
import { nearHint, notingNames } from '../journal/recorded-names.ts';
import { namedObject } from '../named-object.ts';
import { jsonLine } from '../terminal/json-line.ts';

/** Interval between two reads of a followed journal, milliseconds. */
const followMs = 500;

/** `millrace journal [NAME]`: prints each decision on a line. Throws CommandFailure. */
export async function journal(
  what: string | undefined,
  options: JournalOptions,
  say: (line: string) => void,
): Promise<void> {
  const named = what === undefined ? undefined : namedObject(what);
  requireFunction(options.function);
  const wait = options.follow === true ? () => sleep(followMs, true) : undefined;
  let found = 0;
  const names = new Set<string>();
  const entries = notingNames(openEntries(options, { wait }), names);
  for await (const explained of chosenDecisions(entries, named, options)) {
    found += 1;
    say(options.output === 'json' ? jsonLine(decisionLine(explained)) : decisionText(explained));
  }
  if (found === 0 && [named, ...choiceOf(options)].some((each) => each !== undefined)) {
    throw nothingFound(what, nearHint(named, names));
  }
}

/**
 * `millrace journal export [NAME]`: prints a recording in the order of its replay. Chosen decisions are exported
 * with the events that led to them. Throws CommandFailure.
 */
export async function journalExport(
  what: string | undefined,
  options: JournalSourceOptions & EntryChoice,
  say: (line: string) => void,
): Promise<void> {
  const named = what === undefined ? undefined : namedObject(what);
  requireFunction(options.function);
  const names = new Set<string>();
  const entries = notingNames(openEntries(options), names);
  const isAll = [named, ...choiceOf(options)].every((each) => each === undefined);
  let found = 0;
  say(recordingHead(packageJson.version, Date.now()));
  for await (const entry of isAll ? entries : chosenEntries(entries, named, options)) {
    found += 1;
    say(jsonLine(entry));
  }
  if (found === 0 && !isAll) throw nothingFound(what, nearHint(named, names));
}

function choiceOf(choice: EntryChoice): readonly unknown[] {
  const { namespace, function: name, id, from, to, type, outcome } = choice;
  return [namespace, name, id, from, to, type, outcome];
}

function nothingFound(what: string | undefined, hint: string): CommandFailure {
  return new CommandFailure(
    exitCodes.notFound,
    what === undefined
      ? 'the journal has no such decision'
      : `the journal has no such decision about ${what}${hint}`,
    'millrace journal',
  );
}
