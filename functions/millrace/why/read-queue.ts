/** The queue of the cluster, if it is reachable: that of its `millrace up`, or that of a named Redis. */
import type { OpenedCluster } from '../open-cluster.ts';
import { askControl } from '../up/ask-control.ts';
import { redisQueue } from '../cluster-redis.ts';
import { type FunctionQueue, queueReport } from '../up/queue-report.ts';
import type { WhyOptions } from './why-options.ts';

/** Undefined: no queue is named or known. Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
export async function readQueue(
  { redis: url, redisInsecure: insecure = false }: WhyOptions,
  { client, connection, control }: OpenedCluster,
): Promise<readonly FunctionQueue[] | undefined> {
  if (url === undefined) {
    if (control === undefined) return undefined;
    const answer = await askControl(control, connection)('/queue');
    return (await answer.json()) as readonly FunctionQueue[];
  }
  await using queue = await redisQueue({ url, insecure }, client);
  return await queueReport(queue);
}
