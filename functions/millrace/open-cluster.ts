/**
 * The cluster that a command reads: that of `--kubeconfig` or KUBECONFIG, else a running `millrace up`, else kubectl's
 * default.
 */
import type { KubeClient } from '#shared/kube/client.ts';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient, type TransportOptions, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { shellWord } from './terminal/shell-word.ts';
import { latestUp, upOf } from './up/find-up.ts';

export interface ReadOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  /** A cluster is used even if a `millrace up` runs. */
  readonly cluster?: boolean;
}

export interface OpenedCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly connection: Connection;
  readonly namespace: string;
  /** The kubectl command for exactly this cluster. */
  readonly kubectl: string;
  /** The command that called Millrace: `kubectl millrace` as a plugin of kubectl. */
  readonly program: string;
  /** Options for another Millrace command for this cluster. Empty: it needs none. */
  readonly options: string;
  /**
   * The time of the cluster by its answers so far, in milliseconds since the epoch. Times of objects compare with it:
   * the clock of this machine may be wrong, and that of `millrace up --speed` is another one.
   */
  readonly nowMs: () => number;
  /** Control address of the `millrace up` that serves it. Absent: it is another cluster. */
  readonly control?: string;
}

/** `component` is part of the user agent. Throws MR_KUBECONFIG_INVALID and the like. */
export async function openCluster(
  { kubeconfig, context, namespace, cluster }: ReadOptions,
  component: string,
  hooks: Pick<TransportOptions, 'onServerTime'> = {},
): Promise<OpenedCluster> {
  const named = given(kubeconfig) ?? given(process.env['KUBECONFIG']);
  const up =
    named !== undefined ? await upOf(named) : cluster === true ? undefined : await latestUp();
  const file = named ?? (context === undefined ? up?.kubeconfig : undefined);
  const connection = await loadConnection({
    ...(file === undefined ? {} : { kubeconfig: file }),
    ...(context === undefined ? {} : { context }),
  });
  const options = [
    ...(given(kubeconfig) === undefined ? [] : ['--kubeconfig', shellWord(file ?? '')]),
    ...(context === undefined ? [] : ['--context', shellWord(context)]),
  ].join(' ');
  const clock = new ClusterClock({ own: systemClock, logger: { warn: () => undefined } });
  return {
    client: new HttpKubeClient({
      connection,
      userAgent: userAgentOf(packageJson.version, component),
      onServerTime: (time) => {
        clock.hear(time);
        hooks.onServerTime?.(time);
      },
    }),
    nowMs: () => clock.now(),
    connection,
    namespace: given(namespace) ?? connection.namespace,
    kubectl: kubectlFor(file, given(process.env['KUBECONFIG']), options),
    program: given(process.env['MILLRACE_PROGRAM']) ?? 'millrace',
    options,
    ...(up === undefined || file !== up.kubeconfig ? {} : { control: up.control }),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

function kubectlFor(
  file: string | undefined,
  variable: string | undefined,
  options: string,
): string {
  if (options !== '') return `kubectl ${options}`;
  return file === variable || file === undefined
    ? 'kubectl'
    : `kubectl --kubeconfig ${shellWord(file)}`;
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
