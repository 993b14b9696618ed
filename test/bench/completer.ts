import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { endlessWatch } from './endless-watch.ts';

/**
 * Completes every Job of a flow instead of the Job controller, only by a status patch. So the flow
 * controller is measured, not pods. `runMs`: how long a Job runs, in milliseconds. 0 completes it as
 * soon as it is seen.
 */
export async function completeJobs(
  client: KubeClient,
  runMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { resourceVersion } = await client.list(resources.Job, {
    labelSelector: labels.ownerUid,
    limit: 1,
  });
  const ended: Promise<unknown>[] = [];
  const options = { labelSelector: labels.ownerUid, resourceVersion, signal };
  for await (const { type, object } of endlessWatch(client, resources.Job, options)) {
    if (type !== 'ADDED') continue;
    ended.push(completeJob(client, object, runMs));
  }
  await Promise.allSettled(ended);
}

/** One status patch that passes the API server's validation of a finished Job. */
export async function completeJob(client: KubeClient, job: KubeObject, afterMs = 0): Promise<void> {
  const { namespace = '', name } = job.metadata;
  if (afterMs > 0) await sleep(afterMs);
  await client.patch(resources.Job, { namespace, name }, completed(Date.now()), {
    type: 'merge',
    subresource: 'status',
  });
}

function completed(nowMs: number): JsonObject {
  const now = rfc3339(nowMs);
  const condition = (type: string) => ({
    type,
    status: 'True',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
    lastProbeTime: now,
    lastTransitionTime: now,
  });
  return {
    status: {
      startTime: now,
      completionTime: now,
      succeeded: 1,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    },
  };
}
