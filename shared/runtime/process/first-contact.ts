import { errorClassOf } from '#shared/domain/errors.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { systemClock } from './system-clock.ts';
import type { Logger } from './telemetry.ts';

/** Between two attempts to reach an API server that is not there yet, in milliseconds. */
const retryMs = 2_000;

/**
 * The uid of the cluster, waited for: a process may start before the API server does. Undefined when
 * `signal` aborts first. Throws what waiting does not mend.
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
