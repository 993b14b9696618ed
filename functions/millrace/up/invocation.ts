/** Delivers an event to a function of this process through the queue, so that no object has two passes at once. */
import type { Delivery } from '#functions/dispatcher/deliver.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { verdictOn } from '#shared/runtime/function/event-route.ts';
import type { ProcessItem } from '#shared/runtime/function/process-item.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import type { NextDeliveries } from './next-deliveries.ts';

export interface InvocationParts {
  readonly subscriptions: readonly Subscription[];
  readonly reader: Reader;
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly deliveries: NextDeliveries;
}

/**
 * Returns the verdict of the function. Undefined: there is no such function. Throws MR_EVENT_MALFORMED,
 * MR_EVENT_UNROUTABLE and MR_QUEUE_UNAVAILABLE.
 */
export type Invoke = (
  functionName: string,
  event: CloudEvent,
  abandoned: AbortSignal,
) => Promise<Verdict | undefined>;

/** Shorter than the timeout of the command line. In real time, however fast the cluster's clock runs. */
const longestWaitMs = 25_000;

const never = new AbortController().signal;

export function invocation({ subscriptions, reader, queue, deliveries }: InvocationParts): Invoke {
  const process: ProcessItem = async (item, abandoned = never) => {
    const tooLong = AbortSignal.timeout(longestWaitMs);
    const stop = [abandoned, tooLong] as const;
    try {
      const [delivery] = await underEither(stop, (over) =>
        Promise.all([deliveries.of(item, over), queue.add([item])]),
      );
      return verdictOf(delivery);
    } catch (error) {
      if (!stop.some(({ aborted }) => aborted)) throw error;
      const why = tooLong.aborted
        ? `no delivery within ${longestWaitMs / 1_000} s`
        : 'nobody waits';
      return { kind: 'later', detail: `${why}; it is queued` };
    }
  };
  return async (functionName, event, abandoned) => {
    const subscription = subscriptions.find(({ name }) => name === functionName);
    if (subscription === undefined) return undefined;
    return verdictOn(event, { subscription, reader, process }, abandoned);
  };
}

/** Within a process no function is unreachable, and none refuses the sender. */
function verdictOf(delivery: Delivery): Verdict {
  if (delivery.kind !== 'unreachable' && delivery.kind !== 'refused') return delivery;
  return { kind: 'retry', detail: delivery.detail };
}
