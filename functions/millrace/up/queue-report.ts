/** Waiting, running and parked items of each function. */
import { subscriptions } from '#functions/list.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { QueueDepth, WorkQueue } from '#shared/queue/work-queue.ts';

export interface FunctionQueue {
  readonly function: string;
  readonly depth: QueueDepth;
  readonly parked: readonly ParkedObject[];
}

export interface ParkedObject extends Pick<WorkItem, 'key' | 'cause'> {
  readonly uid: Uid;
  /** Why it was parked, such as the error of its last attempt. */
  readonly reason: string;
  readonly parkedAtMs: number;
}

/** Throws MR_QUEUE_UNAVAILABLE. */
export function queueReport(
  queue: Pick<WorkQueue, 'depth' | 'parked'>,
): Promise<readonly FunctionQueue[]> {
  return Promise.all(
    subscriptions.map(async ({ name }) => {
      const [depth, parked] = await Promise.all([queue.depth(name), queue.parked(name)]);
      return {
        ...{ function: name, depth },
        parked: parked.map(({ item, reason, parkedAtMs }) => ({
          ...{ key: item.key, cause: item.cause, uid: item.key.uid, reason, parkedAtMs },
        })),
      };
    }),
  );
}
