/** The commands that explain what happened and what is waited for; only `replay --deliver` has effects. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { printable } from '#shared/domain/printable.ts';
import type { DeliverOptions } from './commands/deliver.ts';
import type { JournalOptions, JournalSourceOptions } from './journal/journal-options.ts';
import type { WhyOptions } from './why/why-options.ts';

export function addExplainCommands(program: Command): void {
  fromRedis(readingCluster(program.command('why')))
    .description('say why an object does not go on, or by what it failed')
    .argument('[name]', 'NAME or KIND/NAME; /STEP or /NODE behind it asks about one step or node')
    .option('--all', 'everything that waits; in all namespaces, unless -n names one')
    .addOption(outputFormat())
    .action(async (name: string | undefined, options: WhyOptions) => {
      const { why } = await import('./commands/why.ts');
      await why(name, options, say);
    });

  const journal = fromJournal(program.command('journal'))
    .description(
      'print the recorded decisions: event -> decision with its reasons -> writes -> outcome',
    )
    .argument('[name]', 'NAME or KIND/NAME of the object (default: all)')
    .option('--function <name>', 'only the decisions of this function')
    .option('-f, --follow', 'go on with new ones until it is interrupted')
    .addOption(outputFormat())
    .action(async (name: string | undefined, options: JournalOptions) => {
      const commands = await import('./commands/journal.ts');
      await commands.journal(name, options, say);
    });
  fromJournal(journal.command('export'))
    .description(
      'write everything that is recorded to standard output, as a file that `replay` reads',
    )
    .action(async (_: unknown, command: Command) => {
      const commands = await import('./commands/journal.ts');
      await commands.journalExport(command.optsWithGlobals<JournalSourceOptions>(), say);
    });
  addReplay(program);
}

function addReplay(program: Command): void {
  fromJournal(program.command('replay'))
    .description(
      'decide again on what was recorded, and show what would be decided differently; changes nothing without --deliver',
    )
    .argument('[name]', 'NAME or KIND/NAME of the object (default: all)')
    .option('--function <name>', 'only the decisions of this function')
    .option('--deliver', 'have the functions of the cluster look again at what events asked for')
    .option('--dry-run', 'with --deliver: only print what would be delivered')
    .option(
      '--only-unprocessed',
      'with --deliver: what no recorded decision followed that came to its end',
    )
    .option('--rate <number>', 'with --deliver: items a second (default: 20)', positive)
    .addOption(outputFormat())
    .action(async (name: string | undefined, options: DeliverOptions & { deliver?: true }) => {
      if (options.deliver === true) {
        const commands = await import('./commands/deliver.ts');
        await commands.deliver(name, options, say);
        return;
      }
      const { replay } = await import('./commands/replay.ts');
      process.exitCode = await replay(name, options, say);
    });
}

function positive(text: string): number {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It has to be a number above 0.');
}

/** Names and messages are other people's; in JSON they are escaped as well. */
function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

function fromJournal(command: Command): Command {
  return fromRedis(
    readingCluster(command).option('--file <file>', 'read this recording instead of a journal'),
  );
}

function fromRedis(command: Command): Command {
  return command
    .option(
      '--redis <url>',
      'where queue and journal are (default: in the `millrace up` of the cluster)',
    )
    .option('--redis-insecure', 'reach a Redis on another machine without TLS');
}

function readingCluster(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'cluster configuration (default: KUBECONFIG, a running `millrace up`)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'of the object');
}

function outputFormat(): Option {
  return new Option('-o, --output <format>', 'text, or json: one object a line')
    .choices(['text', 'json'])
    .default('text');
}
