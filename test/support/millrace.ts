import packageJson from '../../package.json' with { type: 'json' };
import { type StartedMillrace, startMillrace } from '#functions/millrace/commands/run.ts';
import type { MillraceParts } from '#functions/millrace/compose.ts';
import { functions as everyFunction } from '#functions/list.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { createLogger, type LogLevel } from '#shared/runtime/process/telemetry.ts';
import type { ClusterFacts } from './cluster-setup.ts';

export interface MillraceForTests {
  readonly cluster: Pick<ClusterFacts, 'kubeconfigs'>;
  readonly redisUrl: string;
  /** The served functions. Default: all. */
  readonly functions?: MillraceParts['functions'];
  /** The policy on Pods of created Jobs. Absent: nothing is refused. */
  readonly policy?: PodPolicy;
  /** Objects without a submitter create nothing. Default false, because no webhook would record one. */
  readonly requiresSubmitters?: boolean;
  /** Default `silent`; MILLRACE_TEST_LOG names another level. */
  readonly logLevel?: LogLevel;
  /** Target of the log. Default: standard error. */
  readonly log?: NodeJS.WritableStream;
}

export type Millrace = Pick<StartedMillrace, 'ended' | 'millrace' | 'stop' | 'url'>;

/**
 * All of Millrace in this process, each part under its own token and generated role, never as admin. So a right
 * missing from a role shows.
 */
export async function startMillraceForTests(options: MillraceForTests): Promise<Millrace> {
  const { cluster, redisUrl, policy, functions = everyFunction } = options;
  const { requiresSubmitters = false } = options;
  const wanted = process.env['MILLRACE_TEST_LOG'] as LogLevel | undefined;
  const logger = await createLogger({
    name: 'millrace',
    version: packageJson.version,
    level: options.logLevel ?? wanted ?? 'silent',
    format: 'json',
    destination: options.log ?? process.stderr,
  });
  const open = async (user: string) => {
    const connection = await loadConnection({ kubeconfig: cluster.kubeconfigs[user] ?? '' });
    const userAgent = userAgentOf(packageJson.version, user);
    return { connection, client: new HttpKubeClient({ connection, userAgent }) };
  };
  const components = ['bridge', ...functions.map(({ subscription }) => subscription.name)];
  const opened = new Map(
    await Promise.all(components.map(async (name) => [name, await open(name)] as const)),
  );
  const started = await startMillrace({
    functions,
    clientOf: (component) => opened.get(component)!.client,
    redisUrl,
    logger,
    concurrency: 16,
    port: 0,
    trustNamespaces: !requiresSubmitters,
    ...(policy === undefined ? {} : { policy }),
  });
  return {
    ended: started.ended,
    millrace: started.millrace,
    url: started.url,
    stop: async () => {
      await started.stop();
      await Promise.all([...opened.values()].map(({ connection }) => connection.close()));
    },
  };
}
