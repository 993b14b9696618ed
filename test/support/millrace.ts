import packageJson from '../../package.json' with { type: 'json' };
import { type StartedMillrace, startMillrace } from '#functions/millrace/commands/run.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { createLogger, type LogLevel } from '#shared/runtime/telemetry.ts';
import type { ClusterFacts } from './cluster-setup.ts';

export interface MillraceForTests {
  readonly cluster: Pick<ClusterFacts, 'kubeconfigs'>;
  readonly redisUrl: string;
  /** Default `silent`; MILLRACE_TEST_LOG names another level. */
  readonly logLevel?: LogLevel;
}

export type Millrace = Pick<StartedMillrace, 'ended' | 'millrace' | 'stop'>;

/**
 * All of Millrace in this process, each part under its own token and its own generated role, never
 * as admin: what a role lacks fails here.
 */
export async function startMillraceForTests(options: MillraceForTests): Promise<Millrace> {
  const { cluster, redisUrl } = options;
  const wanted = process.env['MILLRACE_TEST_LOG'] as LogLevel | undefined;
  const logger = await createLogger({
    name: 'millrace',
    version: packageJson.version,
    level: options.logLevel ?? wanted ?? 'silent',
    format: 'json',
    destination: process.stderr,
  });
  const open = async (user: string) => {
    const connection = await loadConnection({ kubeconfig: cluster.kubeconfigs[user] ?? '' });
    const userAgent = userAgentOf(packageJson.version, user);
    return { connection, client: new HttpKubeClient({ connection, userAgent }) };
  };
  const [bridge, flowAdvance] = await Promise.all([open('bridge'), open('flow-advance')]);
  const started = await startMillrace({
    clients: { bridge: bridge.client, 'flow-advance': flowAdvance.client },
    redisUrl,
    logger,
    concurrency: 16,
    port: 0,
  });
  return {
    ended: started.ended,
    millrace: started.millrace,
    stop: async () => {
      await started.stop();
      await Promise.all([bridge.connection.close(), flowAdvance.connection.close()]);
    },
  };
}
