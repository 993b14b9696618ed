/** Checks whether the API server reaches a webhook of this machine. It may run in a container of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/domain/errors.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/** Time for the API server to notice a new configuration by its watch, milliseconds. */
const inEffectMs = 5_000;
const pauseMs = 200;

/**
 * Tries a dry-run flow: if admission was called, the flow has its annotation. Undefined: unknown, because this user
 * may not create flows.
 */
export async function isReached(
  client: Pick<KubeClient, 'create'>,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const flow: NewObject = {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name: 'millrace-webhook-probe', namespace },
    spec: { flows: [{ name: 'a', jobTemplateRef: 'none' }] },
  };
  const untilMs = performance.now() + inEffectMs;
  do {
    try {
      const tried = await client.create(resources.JobFlow, flow, { dryRun: true, signal });
      if (tried.metadata.annotations?.[annotations.submitter] !== undefined) return true;
    } catch (error) {
      if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
      // The check fails closed: an unreachable webhook fails the create (500).
      if (!hasCode(error, 'MR_API_RETRYABLE')) throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  } while (performance.now() < untilMs);
  return false;
}
