import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GetOptions, WatchOptions } from '../commands/get-options.ts';
import { commaSeparated, positiveInteger } from '../option-values.ts';
import { readingCluster, withAppearance, withExamples } from '../usual-options.ts';

export function addGet(program: Command): void {
  withExamples(
    withAppearance(readingCluster(program.command('get'))),
    'get hello',
    'get jobflow hello other -o json',
    'get -A -o wide',
    'get suspendpolicies,jobtemplates',
    'get pods --for hello --status Failed',
    "get hello -o 'jsonpath={.status.state}'",
  )
    .description(
      'show a flow, DaemonJob or AppWrapper as a tree of its parts, and a policy or template as a line; without a name, list all work',
    )
    .argument(
      '[name...]',
      'NAME, KIND/NAME or KIND NAME, also several; KIND or KIND,KIND for a list',
    )
    .option('-A, --all-namespaces', 'list those of all namespaces')
    .option('-l, --selector <selector>', 'list those with these labels, such as team=a')
    .option('--status <states>', 'list those in one of these states, with commas', commaSeparated)
    .option(
      '--for <name>',
      'list the jobs, pods or both of this object, or of its part: NAME/STEP or NAME/NODE',
    )
    .option('-w, --watch', 'as `watch`; of a list: a line for each change')
    .option('--timeout <seconds>', 'with --watch: end after this long', positiveInteger)
    .addOption(
      new Option(
        '-o, --output <format>',
        'wide: more columns, and every step of a large flow; jsonpath=TEMPLATE as of kubectl',
      )
        .choices(outputs)
        .argParser(output)
        .default('tree'),
    )
    .action(async (names: readonly string[], options: GetOptions) => {
      const { get } = await import('../commands/get.ts');
      process.exitCode = await get(names, options, (text) => void process.stdout.write(text));
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

const outputs = ['tree', 'wide', 'json', 'yaml', 'name', 'jsonpath='] as const;

function output(text: string): string {
  if (outputs.slice(0, -1).some((each) => each === text) || /^jsonpath=./s.test(text)) return text;
  throw new InvalidArgumentError(`it is one of ${outputs.join(', ')}TEMPLATE`);
}
