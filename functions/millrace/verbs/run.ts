import { type Command, Option } from 'commander';
import type { RunOptions } from '../commands/run-options.ts';
import { httpUrl, policy, portNumber, positiveInteger, redisUrl } from '../option-values.ts';
import { withExamples } from '../usual-options.ts';

export function addRun(program: Command): void {
  withExamples(
    program.command('run'),
    'run --kubeconfig ~/.kube/config --redis redis://127.0.0.1:6379',
    'run --namespace batch --policy profile=restricted',
  )
    .description('run bridge, dispatcher and functions in one process against a cluster')
    .option(
      '--kubeconfig <file>',
      'cluster configuration (default: KUBECONFIG, ~/.kube/config, in-cluster)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--redis <url>', 'queue and journal')
        .argParser(redisUrl)
        .default('redis://127.0.0.1:6379')
        .env('REDIS_URL'),
    )
    .option('--redis-insecure', 'reach a Redis on another machine without TLS')
    .option('--namespace <name>', 'serve the flows of this namespace only (default: all)')
    .option('--concurrency <n>', 'flows decided at once', positiveInteger, 16)
    .option('--port <n>', 'health and metrics on this port; 0 picks a free one', portNumber, 8080)
    .option(
      '--lease-namespace <name>',
      'let only one of several such processes work, by a Lease in this namespace',
    )
    .option('--no-webhooks', 'register no admission webhooks')
    .option(
      '--policy <rules>',
      'what is refused in templates, such as profile=restricted,nodeName=warn',
      policy,
    )
    .option(
      '--events-to <url>',
      'send a CloudEvent there for each change of state of a flow or step (docs/reference/events.md)',
      httpUrl,
    )
    .addOption(
      new Option('--log-format <format>', 'how to log (default: pretty on a terminal)').choices([
        'pretty',
        'json',
      ]),
    )
    .option('-v, --verbose', 'log the path taken, not only the changes')
    .action(async (options: RunOptions) => {
      const { run } = await import('../commands/run.ts');
      await run(options);
    });
}
