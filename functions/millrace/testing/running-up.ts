/** A `millrace up` in its own process, the command line, and a client of its API. */
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { runningUps, stateRoot } from '../up/state-folder.ts';
import { type CommandLine, commandLine } from './cli.ts';

export interface Finished {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningUp extends AsyncDisposable {
  readonly cli: CommandLine;
  readonly client: HttpKubeClient;
  /** Path of its kubeconfig, which commands find by themselves. */
  readonly kubeconfig: string;
  /** Address of its metrics. */
  readonly metricsUrl: string;
  /** Runs a command to its end. */
  finished(...args: readonly string[]): Promise<Finished>;
  /** Creates a flow in the namespace `default`. Each step is a shell command with its dependencies. */
  createFlow(
    name: string,
    steps: Readonly<Record<string, { readonly sh: string; readonly after?: readonly string[] }>>,
  ): Promise<KubeObject>;
}

export async function runningUp(...options: readonly string[]): Promise<RunningUp> {
  await using stack = new AsyncDisposableStack();
  const cli = stack.use(await commandLine());
  const up = cli.start(['up', '--port', '0', '--headless', ...options]);
  const [, kubeconfig = ''] = await up.printed(/KUBECONFIG=(\S+)/);
  const [state] = await runningUps(stateRoot({ XDG_STATE_HOME: cli.stateHome }));
  const connection = stack.adopt(await loadConnection({ kubeconfig }), (each) => each.close());
  const client = new HttpKubeClient({ connection, userAgent: 'millrace-test' });
  const kept = stack.move();
  return {
    ...{ cli, client, kubeconfig, metricsUrl: `${state?.control}/metrics` },
    finished: async (...args) => {
      const run = cli.start(args);
      return { code: await run.exited, stdout: run.stdout(), stderr: run.stderr() };
    },
    createFlow: (name, steps) => client.create(resources.JobFlow, flowOf(name, steps)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function flowOf(
  name: string,
  steps: Readonly<Record<string, { readonly sh: string; readonly after?: readonly string[] }>>,
): NewObject {
  const flows = Object.entries(steps).map(([step, { sh, after = [] }]) => ({
    name: step,
    dependencies: after,
    jobTemplate: {
      template: {
        spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', sh] }] },
      },
    },
  }));
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name, namespace: 'default' },
    spec: { flows },
  };
}
