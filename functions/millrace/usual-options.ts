/** Options that several verbs share, and the beginning of their help. */
import { type Command, Option } from 'commander';
import { redisUrl } from './option-values.ts';

/**
 * The help of a verb starts with examples to copy. They are written without the program's name, which may be that of a
 * plugin of kubectl.
 */
export function withExamples(
  command: Command,
  ...examples: readonly [string, string, ...string[]]
): Command {
  return command.addHelpText('before', ({ command: asked }) => {
    const program = rootOf(asked).name();
    return ['Examples:', ...examples.map((example) => `  ${program} ${example}`), ''].join('\n');
  });
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

export function withAppearance(command: Command): Command {
  return command
    .addOption(
      new Option('--color <when>', 'colours (default: on a terminal, unless NO_COLOR is set)')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .option('--no-utf8', 'plain ASCII only');
}

/** The cluster that a command reads, and the namespace of its objects. */
export function readingCluster(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'cluster configuration (default: KUBECONFIG, a running `millrace up`)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'namespace of the object');
}

export function fromRedis(command: Command): Command {
  return command
    .option(
      '--redis <url>',
      'where queue and journal are (default: in the `millrace up` of the cluster)',
      redisUrl,
    )
    .option('--redis-insecure', 'reach a Redis on another machine without TLS');
}

export function withConfirmation(command: Command): Command {
  return command
    .option('--yes', 'do not ask first')
    .option('--no-input', 'never ask: without --yes, do nothing and exit with 2');
}

/** The options for what a writing verb prints about its objects. */
export function printingObjects(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'text; name: KIND/NAME; json: the object as answered')
      .choices(['text', 'name', 'json'])
      .default('text'),
  );
}

export function outputFormat(): Option {
  return new Option('-o, --output <format>', 'text, or json: one object a line')
    .choices(['text', 'json'])
    .default('text');
}

/** The cluster that Millrace is installed in. */
export function inCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'cluster configuration (default: KUBECONFIG, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'namespace of its Pods', 'millrace');
}
