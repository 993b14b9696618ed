import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import type { UpOptions } from '../commands/up-options.ts';
import {
  httpUrl,
  nodeNames,
  policy,
  portNumber,
  positiveNumber,
  redisUrl,
} from '../option-values.ts';
import { withAppearance, withExamples } from '../usual-options.ts';

export function addUp(program: Command): void {
  withExamples(
    withAppearance(program.command('up').alias('dev')),
    'up',
    'up --persist ./state --run-commands',
  )
    .description(
      'a Kubernetes API, nodes, queue and all functions in one process; needs no cluster',
    )
    .option(
      '--port <n>',
      'port of the API; if it is in use, the next free one; 0 picks any',
      portNumber,
      7070,
    )
    .option('--nodes <n>', 'virtual nodes: how many, or their names with commas', nodeNames, 3)
    .option('--persist <dir>', 'keep the objects in this folder across restarts')
    .option('--redis <url>', 'queue and journal in Redis (default: in memory)', redisUrl)
    .option('--redis-insecure', 'reach a Redis on another machine without TLS')
    .option('--speed <x>', 'pods, windows and delays pass x times as fast', positiveNumber, 1)
    .option('--kubeconfig-out <file>', 'where to write the kubeconfig (default: the state folder)')
    .option('--headless', 'print the export line only')
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
    .option('--kueue', 'serve queues of a simulated Kueue, with one to begin with')
    .option('--run-commands', 'run the commands of containers as processes of this machine')
    .option('-v, --verbose', 'log what happens')
    .action(async (options: UpOptions) => {
      // While the program is loaded, the young generation need not grow. This saves 30 MB from the start.
      setFlagsFromString('--semi-space-growth-factor=1');
      const { up } = await import('../commands/up.ts');
      await up(options);
    });
}
