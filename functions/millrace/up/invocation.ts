/** An event for a function of this process, by way of the queue: no object is decided twice at once. */
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
 * What the function made of the event. Undefined: there is no such function. Throws MR_EVENT_MALFORMED,
 * MR_EVENT_UNROUTABLE and MR_QUEUE_UNAVAILABLE.
 */
export type Invoke = (
  functionName: string,
  event: CloudEvent,
  abandoned: AbortSignal,
) => Promise<Verdict | undefined>;

/** Below the time that the command line waits. In real time, however fast the clock of the cluster goes. */
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

/** Nothing is sent within a process, so that nobody is out of reach and nobody refuses a sender. */
function verdictOf(delivery: Delivery): Verdict {
  if (delivery.kind !== 'unreachable' && delivery.kind !== 'refused') return delivery;
  return { kind: 'retry', detail: delivery.detail };
}
