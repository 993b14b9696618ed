/** The commands that explain what happened and what an object waits for. Only `replay --deliver` has effects. */
import { type Command, Option } from 'commander';
import { rfc3339 } from '#shared/domain/time.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import type { DeliverOptions } from './commands/deliver.ts';
import type { JournalOptions } from './journal/journal-options.ts';
import { moment, positiveNumber } from './option-values.ts';
import { say } from './terminal/say.ts';
import { shellWord } from './terminal/shell-word.ts';
import {
  fromRedis,
  outputFormat,
  readingCluster,
  withConfirmation,
  withExamples,
} from './usual-options.ts';
import type { WhyOptions } from './why/why-options.ts';

export function addExplainCommands(program: Command): void {
  withExamples(
    fromRedis(readingCluster(program.command('why').alias('explain'))),
    'why hello',
    'why --all',
  )
    .description('say why an object does not continue, or why it failed')
    .argument('[name]', 'NAME or KIND/NAME; /STEP or /NODE behind it asks about one step or node')
    .option('--all', 'everything that waits; in all namespaces, unless -n names one')
    .addOption(outputFormat())
    .action(async (name: string | undefined, options: WhyOptions) => {
      const { why } = await import('./commands/why.ts');
      await why(name, options, say);
    });

  const journal = withExamples(
    choosingMore(choosing(fromJournal(program.command('journal').alias('events')))),
    'journal hello',
    'journal --function flow-advance --follow',
    'journal --type deleted --outcome conflict --from 1h',
  )
    .description(
      'print the recorded decisions: event -> decision with its reasons -> writes -> outcome',
    )
    .argument('[name]', 'NAME or KIND/NAME of the object (default: all)')
    .option('--for <name>', 'as NAME')
    .option('-f, --follow', 'continue with new ones until interrupted')
    .addOption(outputFormat())
    .action(async (name: string | undefined, typed: TypedOptions<JournalOptions>) => {
      const commands = await import('./commands/journal.ts');
      await commands.journal(objectOf(name, typed), chosen(typed), say);
    });
  withExamples(
    choosingMore(choosing(fromJournal(journal.command('export')))),
    'journal export > recording.ndjson',
    'journal export hello --from 2h | gzip > recording.ndjson.gz',
  )
    .description(
      'write what is recorded to standard output, as a file that every command reads with --file',
    )
    .argument('[name]', 'NAME or KIND/NAME of the object (default: all)')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const commands = await import('./commands/journal.ts');
      const typed = command.optsWithGlobals<TypedOptions<JournalOptions>>();
      await commands.journalExport(objectOf(name, typed), chosen(typed), say);
    });
  withExamples(journal.command('import'), 'journal --file FILE', 'replay --file FILE')
    .description('nothing has to be imported: every command reads a recording with --file')
    .argument('[file]', 'a recording')
    .action((file: string | undefined = 'FILE') => {
      throw new CommandFailure(
        exitCodes.usage,
        'nothing has to be imported: every command reads a recording with --file',
        `millrace journal --file ${shellWord(file)}`,
      );
    });
  addReplay(program);
}

interface ReplayOptions extends DeliverOptions {
  readonly deliver?: true;
  readonly whatIf?: string;
}

function addReplay(program: Command): void {
  withExamples(
    withConfirmation(choosing(fromJournal(program.command('replay')))),
    'replay hello --from 2h',
    'replay --file recording.ndjson',
    'replay hello --deliver --yes',
  )
    .description(
      'decide again on what was recorded, and show what would be decided differently; changes nothing without --deliver',
    )
    .argument('[name]', 'NAME or KIND/NAME of the object (default: all)')
    .addOption(
      new Option(
        '--what-if <file>',
        'show what would have been decided with the objects of this manifest',
      ).conflicts('deliver'),
    )
    .option('--deliver', 'have the functions of the cluster look again at what events asked for')
    .option('--dry-run', 'with --deliver: only print what would be delivered')
    .option(
      '--only-unprocessed',
      'with --deliver: only items that no recorded decision has completed',
    )
    .option('--rate <number>', 'with --deliver: items a second (default: 20)', positiveNumber)
    .addOption(outputFormat())
    .action(async (name: string | undefined, typed: TypedOptions<ReplayOptions>) => {
      const options = chosen(typed);
      if (options.whatIf !== undefined) {
        const { whatIf } = await import('./commands/what-if.ts');
        process.exitCode = await whatIf(name, options.whatIf, options, say);
        return;
      }
      if (options.deliver === true) {
        const commands = await import('./commands/deliver.ts');
        await commands.deliver(name, options, say);
        return;
      }
      const { replay } = await import('./commands/replay.ts');
      process.exitCode = await replay(name, options, say);
    });
}

/** Includes the alternative spellings of options. */
type TypedOptions<Options> = Options & { readonly since?: number; readonly for?: string };

function chosen<Options extends JournalOptions>({
  since,
  ...options
}: TypedOptions<Options>): Omit<TypedOptions<Options>, 'since'> {
  const { from = since, to } = options;
  if (from !== undefined && to !== undefined && to < from) {
    const message = `--to ${rfc3339(to)} is before --from ${rfc3339(from)}`;
    throw new CommandFailure(exitCodes.usage, message, 'write a later --to, or an earlier --from');
  }
  return from === undefined ? options : { ...options, from };
}

function objectOf(
  name: string | undefined,
  { for: other }: { readonly for?: string },
): string | undefined {
  if (name === undefined || other === undefined) return name ?? other;
  const message = `NAME and --for are two spellings of the same: ${name} and ${other}`;
  throw new CommandFailure(exitCodes.usage, message, `millrace journal ${shellWord(name)}`);
}

/** Options that choose decisions, besides the name of an object. */
function choosing(command: Command): Command {
  return command
    .option('--function <name>', 'only the decisions of this function')
    .option('--id <id>', 'only what this event led to, or the decision at this position')
    .option('--from <time>', 'only from then on: RFC 3339, or how long ago, such as 2h', moment)
    .addOption(new Option('--since <time>', 'as --from').argParser(moment).conflicts('from'))
    .option('--to <time>', 'only until then', moment);
}

function choosingMore(command: Command): Command {
  return command
    .option(
      '--type <text>',
      'only entries caused by events whose type contains this text, such as deleted',
    )
    .option(
      '--outcome <text>',
      'only entries with this outcome, such as applied, conflict or rejected',
    );
}

function fromJournal(command: Command): Command {
  return fromRedis(
    readingCluster(command).option(
      '--file <file>',
      'read this recording instead of a journal; - for standard input',
    ),
  );
}
