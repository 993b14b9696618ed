import type { Command } from 'commander';
import type { QueueDropOptions, QueueOptions, QueueRetryOptions } from '../commands/queue.ts';
import { say } from '../terminal/say.ts';
import { fromRedis, outputFormat, readingCluster, withExamples } from '../usual-options.ts';

export function addQueue(program: Command): void {
  const queue = withExamples(
    fromRedis(readingCluster(program.command('queue').alias('dlq'))),
    'queue',
    'queue retry --all --redis redis://127.0.0.1:6379',
  )
    .description('print what waits and runs for each function, and what it put aside')
    .addOption(outputFormat())
    .action(async (options: QueueOptions) => {
      const commands = await import('../commands/queue.ts');
      await commands.queue(options, say);
    });
  withExamples(queue.command('retry'), 'queue retry --all', 'queue retry jobflow/hello --dry-run')
    .description('have functions look again at what they put aside')
    .argument('[name]', 'NAME or KIND/NAME of the object')
    .option('--all', 'all of it; in all namespaces, unless -n names one')
    .option('--dry-run', 'only print it')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const commands = await import('../commands/queue.ts');
      await commands.queueRetry(name, command.optsWithGlobals<QueueRetryOptions>(), say);
    });
  withExamples(
    queue.command('drop'),
    'queue drop --all --dry-run',
    'queue drop jobflow/hello --yes',
  )
    .description(
      'forget what functions put aside; what is unfinished comes back with the next sweep',
    )
    .argument('[name]', 'NAME or KIND/NAME of the object')
    .option('--all', 'all of it; in all namespaces, unless -n names one')
    .option('--dry-run', 'only print it')
    .option('--yes', 'do not ask first')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const commands = await import('../commands/queue.ts');
      await commands.queueDrop(name, command.optsWithGlobals<QueueDropOptions>(), say);
    });
}
