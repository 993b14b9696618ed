import type { Command } from 'commander';
import type { QueueDropOptions, QueueOptions, QueueRetryOptions } from '../commands/queue.ts';
import { say } from '../terminal/say.ts';
import {
  fromRedis,
  outputFormat,
  readingCluster,
  withConfirmation,
  withExamples,
} from '../usual-options.ts';

export function addQueue(program: Command): void {
  const queue = withExamples(
    fromRedis(readingCluster(program.command('queue').alias('dlq'))),
    'queue',
    'queue retry --all --redis redis://127.0.0.1:6379',
  )
    .description('what waits and runs for each function, and what it put aside')
    .addOption(outputFormat());
  // Its verbs take its options too.
  queue.configureHelp({
    showGlobalOptions: true,
    visibleGlobalOptions: ({ parent }) => (parent === queue ? [...queue.options] : []),
  });
  withExamples(queue.command('list', { isDefault: true }), 'queue list', 'queue list -o json')
    .description('print how much waits and runs for each function, and all that it put aside')
    .action(async (_: unknown, command: Command) => {
      const commands = await import('../commands/queue.ts');
      await commands.queueList(command.optsWithGlobals<QueueOptions>(), say);
    });
  withExamples(queue.command('show'), 'queue show hello', 'queue show jobflow/hello -o json')
    .description('print why and since when functions put an object aside, and by which event')
    .argument('<name>', 'NAME or KIND/NAME of the object')
    .action(async (name: string, _: unknown, command: Command) => {
      const commands = await import('../commands/queue.ts');
      await commands.queueShow(name, command.optsWithGlobals<QueueOptions>(), say);
    });
  withExamples(
    ofParked(queue.command('retry')),
    'queue retry --all',
    'queue retry jobflow/hello --dry-run',
  )
    .description('have functions look again at what they put aside')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const commands = await import('../commands/queue.ts');
      await commands.queueRetry(name, command.optsWithGlobals<QueueRetryOptions>(), say);
    });
  withExamples(
    withConfirmation(ofParked(queue.command('drop'))),
    'queue drop --all --dry-run',
    'queue drop jobflow/hello --yes',
  )
    .description(
      'forget items that functions put aside; unfinished objects come back with the next sweep',
    )
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const commands = await import('../commands/queue.ts');
      await commands.queueDrop(name, command.optsWithGlobals<QueueDropOptions>(), say);
    });
}

function ofParked(command: Command): Command {
  return command
    .argument('[name]', 'NAME or KIND/NAME of the object')
    .option('--all', 'all of it; in all namespaces, unless -n names one')
    .option('--function <name>', 'only what this function put aside')
    .option('--dry-run', 'only print it');
}
