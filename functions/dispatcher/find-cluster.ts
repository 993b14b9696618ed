/** Finds the cluster that the dispatcher works for, because a queue belongs to one cluster. */
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import { asUid, type Uid } from '#shared/domain/objects.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { connectByConfiguration } from '#shared/runtime/process/cluster-connection.ts';
import { firstContact } from '#shared/runtime/process/first-contact.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { DispatcherSettings } from './configuration.ts';

/** Undefined: the signal aborted before the API server answered. Throws the client's errors. */
export type FindCluster = (signal: AbortSignal) => Promise<Uid | undefined>;

/** Chooses by the settings, and sends no request yet. Throws MR_CLUSTER_UNKNOWN if they name no cluster. */
export async function clusterFinder(
  settings: DispatcherSettings,
  logger: Logger,
): Promise<FindCluster> {
  const { clusterUid: given } = settings;
  if (given !== undefined) return () => Promise.resolve(asUid(given));
  const connection = await connect(settings);
  return async (signal) => {
    const userAgent = userAgentOf(packageJson.version, 'dispatcher');
    try {
      return await firstContact(new HttpKubeClient({ connection, userAgent }), logger, signal);
    } finally {
      await connection.close();
    }
  };
}

async function connect(settings: DispatcherSettings): Promise<Connection> {
  try {
    return await connectByConfiguration(settings);
  } catch (cause) {
    if (!hasCode(cause, 'MR_KUBECONFIG_UNUSABLE')) throw cause;
    throw new MillraceError('MR_CLUSTER_UNKNOWN', { detail: cause.message }, { cause });
  }
}
