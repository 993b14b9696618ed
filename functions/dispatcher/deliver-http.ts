import { Agent } from 'undici';
import type { Clock } from '#shared/domain/clock.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { AnswerTimeout } from '#shared/kube/whole-answer.ts';
import type { DeliveryKeys } from '#shared/runtime/function/delivery-keys.ts';
import type { Deliver } from './deliver.ts';
import { functionMessage, post } from './function-message.ts';
import { verdictOfAnswer, verdictOfFailure } from './verdicts.ts';

export interface HttpDeliveryOptions {
  /** Where each function listens, by name. */
  readonly urls: ReadonlyMap<string, URL>;
  /** What each function decides about, by name; a function that is missing has events without subject. */
  readonly decided?: ReadonlyMap<string, readonly Resource[]>;
  readonly clock: Clock;
  /** Longest time for one delivery in all, in milliseconds; below the lock of the queue. */
  readonly timeoutMs?: number;
  /** What signs the deliveries. Absent: nobody does. */
  readonly keys?: DeliveryKeys;
}

export interface HttpDelivery {
  readonly deliver: Deliver;
  close(): Promise<void>;
}

const defaultTimeoutMs = 30_000;

/**
 * POSTs each item as a CloudEvent. A broken answer or none in time is a failure that may pass;
 * a connection that does not come about tells nothing of the item; a function without a URL is a
 * matter for the operator and parks the item.
 */
export function createHttpDelivery(options: HttpDeliveryOptions): HttpDelivery {
  const { urls, decided, clock, keys, timeoutMs = defaultTimeoutMs } = options;
  const agent = new Agent({ keepAliveTimeout: 60_000, connectTimeout: 5_000 });
  const deliver: Deliver = async (item, signal) => {
    const url = urls.get(item.function);
    if (url === undefined) {
      return { kind: 'parked', detail: `no URL is configured for function ${item.function}` };
    }
    const event = dueEvent(item, 'dispatcher', decided?.get(item.function));
    const message = functionMessage(event, keys && { keys: keys.current(), atMs: clock.now() });
    try {
      const answer = await post(message, { url, dispatcher: agent, timeoutMs, signal });
      return verdictOfAnswer(answer, clock.now());
    } catch (error) {
      if (signal.aborted) return { kind: 'later', detail: 'the delivery was called off' };
      const isLate = error instanceof AnswerTimeout;
      return verdictOfFailure(error, isLate ? `no answer within ${timeoutMs} ms` : undefined);
    }
  };
  return { deliver, close: () => agent.close() };
}
