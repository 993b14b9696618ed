import { type Command, Option } from 'commander';
import type { GetOptions, WatchOptions } from '../commands/get-options.ts';
import { positiveInteger } from '../option-values.ts';
import { readingCluster, withAppearance, withExamples } from '../usual-options.ts';

export function addGet(program: Command): void {
  withExamples(
    withAppearance(readingCluster(program.command('get'))),
    'get hello',
    'get -A -o wide',
    'get daemonjob/scan --watch',
  )
    .description(
      'show a flow, DaemonJob or AppWrapper as a tree of its parts; without a name, list all',
    )
    .argument('[name]', 'NAME, KIND/NAME, or KIND alone for a list')
    .option('-A, --all-namespaces', 'list those of all namespaces')
    .option('-w, --watch', 'as `watch`')
    .option('--timeout <seconds>', 'with --watch: give up after this long', positiveInteger)
    .addOption(
      new Option('-o, --output <format>', 'tree; wide: with more columns; json, yaml or name')
        .choices(['tree', 'wide', 'json', 'yaml', 'name'])
        .default('tree'),
    )
    .action(async (name: string | undefined, options: GetOptions) => {
      const { get } = await import('../commands/get.ts');
      process.exitCode = await get(name, options, (text) => void process.stdout.write(text));
    });
}

export function addWatch(program: Command): void {
  withExamples(
    withAppearance(readingCluster(program.command('watch'))),
    'watch hello',
    'watch daemonjob/scan --timeout 600',
  )
    .description('follow a flow, DaemonJob or AppWrapper until it ends; exits with 7 when it fails')
    .argument('<name>', 'NAME or KIND/NAME')
    .option('--timeout <seconds>', 'give up after this long (default: never)', positiveInteger)
    .action(async (name: string, options: WatchOptions) => {
      const { watch } = await import('../commands/watch.ts');
      process.exitCode = await watch(name, options);
    });
}
