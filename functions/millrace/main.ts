import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { printable } from '#shared/domain/printable.ts';
import { parsePolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { DemoOptions } from './commands/demo-options.ts';
import type {
  ClusterOptions,
  InstallOptions,
  UninstallOptions,
} from './commands/install-options.ts';
import type { RunOptions } from './commands/run-options.ts';
import type { SchedulePreviewOptions } from './commands/schedule-preview-options.ts';
import type { UpOptions } from './commands/up-options.ts';
import { addExplainCommands } from './explain-commands.ts';
import { reportFailure } from './report-failure.ts';

/** A DNS-1123 subdomain. */
const nodeName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

// The commands are loaded below: from the second start on, without parsing them anew.
enableCompileCache();

// The reader of a pipe may have seen enough: `millrace crds | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = new Command('millrace')
  .description('Event-driven batch controller for Kubernetes.')
  .version(packageJson.version)
  .showHelpAfterError('(see --help)')
  .showSuggestionAfterError()
  .exitOverride()
  .addHelpText(
    'before',
    [
      'Examples:',
      '  millrace up',
      '  millrace demo',
      '  millrace crds | kubectl apply --server-side -f -',
      '  millrace run --kubeconfig ~/.kube/config --redis redis://127.0.0.1:6379',
      '',
    ].join('\n'),
  );

program
  .command('version')
  .description('print the version')
  .action(() => {
    process.stdout.write(`${packageJson.version}\n`);
  });

program
  .command('crds')
  .description('print the CustomResourceDefinitions as YAML')
  .action(async () => {
    const { renderCrds } = await import('./commands/crds.ts');
    process.stdout.write(renderCrds());
  });

program
  .command('run')
  .description('run bridge, dispatcher and functions in one process against a cluster')
  .option(
    '--kubeconfig <file>',
    'cluster configuration (default: KUBECONFIG, ~/.kube/config, in-cluster)',
  )
  .option('--context <name>', 'context of the kubeconfig (default: its current one)')
  .option(
    '--redis <url>',
    'queue and journal',
    redisUrl,
    process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
  )
  .option('--redis-insecure', 'reach a Redis on another machine without TLS')
  .option('--namespace <name>', 'serve the flows of this namespace only (default: all)')
  .option('--concurrency <n>', 'flows decided at once', positiveInteger, 16)
  .option('--port <n>', 'health and metrics on this port; 0 picks a free one', portNumber, 8080)
  .option('--lease-namespace <name>', 'elect a leader for the bridge by a Lease in this namespace')
  .option('--no-webhooks', 'register no admission webhooks')
  .option(
    '--policy <rules>',
    'what is refused in templates, such as profile=restricted,nodeName=warn',
    policy,
  )
  .addOption(
    new Option('--log-format <format>', 'how to log (default: pretty on a terminal)').choices([
      'pretty',
      'json',
    ]),
  )
  .option('-v, --verbose', 'log the path taken, not only the changes')
  .action(async (options: RunOptions) => {
    const { run } = await import('./commands/run.ts');
    await run(options);
  });

withAppearance(program.command('up').alias('dev'))
  .description('a Kubernetes API, nodes, queue and all functions in one process; needs no cluster')
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
  .option('--kueue', 'serve queues of a simulated Kueue, with one to begin with')
  .option('--run-commands', 'run the commands of containers as processes of this machine')
  .option('-v, --verbose', 'log what happens')
  .action(async (options: UpOptions) => {
    // While the program is loaded the young generation need not grow: 30 MB less from the start.
    setFlagsFromString('--semi-space-growth-factor=1');
    const { up } = await import('./commands/up.ts');
    await up(options);
  });

withAppearance(program.command('demo'))
  .description(
    'apply an example and follow it: on a running `millrace up`, else on its own sandbox',
  )
  .argument(
    '[name]',
    'the example (default: jobflow-example; an unknown one lists them), or night: two nights under a policy, one hour per second',
  )
  .option('--fail <step>', 'let this step fail')
  .option('--cluster', 'run it on the current context of the kubeconfig')
  .option('--kubeconfig <file>', 'with --cluster: which one')
  .option('--context <name>', 'with --cluster: context of the kubeconfig')
  .option('-n, --namespace <name>', 'where to create the flow')
  .option('--timeout <seconds>', 'give up after this long', positiveInteger, 120)
  .action(async (name: string | undefined, options: DemoOptions) => {
    const { demo } = await import('./commands/demo.ts');
    process.exitCode = await demo(name, options);
  });

program
  .command('schedule')
  .description('about the schedules of suspend policies')
  .command('preview')
  .description('when a policy lets work run, in its time zone and in UTC')
  .argument('<file|name>', 'a manifest, - for standard input, or a policy of the cluster')
  .option('--from <time>', 'a date in the zone of the policy, or RFC 3339 (default: now)')
  .option('--to <time>', 'likewise (default: a week later)')
  .addOption(
    new Option('-o, --output <format>', 'text; week: only the picture of a week; json')
      .choices(['text', 'week', 'json'])
      .default('text'),
  )
  .option('--kubeconfig <file>', 'where a policy of the cluster is looked up')
  .option('--context <name>', 'context of the kubeconfig')
  .option('-n, --namespace <name>', 'of a policy of the cluster')
  .action(async (what: string, options: SchedulePreviewOptions) => {
    const { schedulePreview } = await import('./commands/schedule-preview.ts');
    process.stdout.write(await schedulePreview(what, options, Date.now()));
  });

addExplainCommands(program);

const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

for (const [name, description] of [
  ['install', 'install Millrace into a cluster, and wait until it is ready'],
  ['upgrade', 'change what is installed to this version, and to what the options say'],
] as const) {
  inCluster(program.command(name))
    .description(description)
    .option('--knative', 'functions and admissions as Knative Services')
    .option('--namespaced', 'serve this namespace only, without rights in any other')
    .option('--image-prefix <prefix>', 'where the images are (default: millrace.dev)')
    .option('--cert-manager', 'cert-manager makes the certificates')
    .option('--external-redis', 'the Secret millrace-redis has the url of your own')
    .option('--dry-run', 'write nothing; name each object that would be created or changed')
    .option('--no-wait', 'return before it is ready')
    .option('--timeout <seconds>', 'give up waiting after this long', positiveInteger, 180)
    .action(async (options: InstallOptions) => {
      const { install } = await import('./commands/install.ts');
      await install(options, say);
    });
}

inCluster(program.command('uninstall'))
  .description('remove Millrace from a cluster; its kinds and their objects stay')
  .option('--delete-objects', 'remove the kinds too, if none of their objects is left')
  .option('--dry-run', 'remove nothing; print what would be removed')
  .action(async (options: UninstallOptions) => {
    const { uninstall } = await import('./commands/install.ts');
    await uninstall(options, say);
  });

inCluster(program.command('doctor'))
  .description('check that everything that is installed in a cluster exists and works')
  .option('--cluster', 'check a cluster (the default)')
  .action(async (options: ClusterOptions) => {
    const { doctor } = await import('./commands/install.ts');
    process.exitCode = (await doctor(options, say)) ? 0 : 1;
  });

function inCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'cluster configuration (default: KUBECONFIG, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'of its Pods', 'millrace');
}

function withAppearance(command: Command): Command {
  return command
    .addOption(
      new Option('--color <when>', 'colours (default: on a terminal, unless NO_COLOR is set)')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .option('--no-utf8', 'plain ASCII only');
}

function redisUrl(text: string): string {
  if (!/^rediss?:\/\//.test(text)) {
    throw new InvalidArgumentError('it starts with redis:// or rediss://');
  }
  return text;
}

function policy(text: string): PodPolicy {
  const parsed = parsePolicy(text);
  if ('policy' in parsed) return parsed.policy;
  throw new InvalidArgumentError(parsed.faults.join('; '));
}

/** As many as are wanted, or what they are called. */
function nodeNames(text: string): number | readonly string[] {
  if (/^[0-9]+$/.test(text)) return positiveInteger(text);
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => name.length > 253 || !nodeName.test(name));
  if (wrong === undefined) return names;
  throw new InvalidArgumentError(`"${wrong}" cannot be the name of a node`);
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError(`${text} is no whole number above 0`);
  }
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError(`${text} is no number above 0`);
  }
  return value;
}

function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError(`${text} is no port (0 to 65535)`);
  }
  return value;
}

/**
 * Exit codes: 0 ok, 1 general, 2 usage, 4 not found, 6 timeout, 7 the flow failed, 8 API server or
 * queue unreachable, 9 a replay differs, 130 interrupted.
 */
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportFailure(error, process.stderr);
}
