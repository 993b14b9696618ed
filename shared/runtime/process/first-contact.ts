import { errorClassOf } from '#shared/domain/errors.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { systemClock } from './system-clock.ts';
import type { Logger } from './telemetry.ts';

/** Interval between two attempts to reach an API server, in milliseconds. */
const retryMs = 2_000;

/**
 * Waits for the uid of the cluster, because a process may start before the API server. Undefined if
 * `signal` aborts first. Throws errors that waiting cannot cure.
 */
export async function firstContact(
  client: Pick<KubeClient, 'get'>,
  logger: Pick<Logger, 'warn'>,
  signal: AbortSignal,
): Promise<Uid | undefined> {
  while (!signal.aborted) {
    try {
      return await clusterUid(client);
    } catch (error) {
      if (errorClassOf(error) !== 'retryable') throw error;
      logger.warn({ err: error }, 'waiting for the API server');
      await systemClock.sleep(retryMs, signal);
    }
  }
  return undefined;
}
