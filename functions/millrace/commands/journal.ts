import { setTimeout as sleep } from 'node:timers/promises';
import { recordingHead } from '#shared/journal/recording.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { chosenDecisions } from '../journal/choose-entries.ts';
import { decisionLine, decisionText } from '../journal/decision-line.ts';
import type { JournalOptions, JournalSourceOptions } from '../journal/journal-options.ts';
import { openEntries } from '../journal/open-journal.ts';
import { namedObject } from '../named-object.ts';
import { jsonLine } from '../terminal/json-line.ts';

/** How often a followed journal is asked for more. */
const followMs = 500;

/** `millrace journal [NAME]`: every decision on a line. Throws CommandFailure. */
export async function journal(
  what: string | undefined,
  options: JournalOptions,
  say: (line: string) => void,
): Promise<void> {
  const named = what === undefined ? undefined : namedObject(what);
  const wait = options.follow === true ? () => sleep(followMs, true) : undefined;
  let found = 0;
  for await (const explained of chosenDecisions(openEntries(options, wait), named, options)) {
    found += 1;
    say(options.output === 'json' ? jsonLine(decisionLine(explained)) : decisionText(explained));
  }
  if (found > 0 || what === undefined) return;
  throw new CommandFailure(
    exitCodes.notFound,
    `the journal has no decision about ${what}`,
    'millrace journal',
  );
}

/** `millrace journal export`: the recording, in the order in which it is replayed. Throws CommandFailure. */
export async function journalExport(
  options: JournalSourceOptions,
  say: (line: string) => void,
): Promise<void> {
  say(recordingHead(packageJson.version, Date.now()));
  for await (const entry of openEntries(options)) say(jsonLine(entry));
}
