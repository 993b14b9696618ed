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
  /** The address of each function, by name. */
  readonly urls: ReadonlyMap<string, URL>;
  /** The objects that each function decides about, by name. Events for a missing function have no subject. */
  readonly decided?: ReadonlyMap<string, readonly Resource[]>;
  readonly clock: Clock;
  /** Timeout of a whole delivery, milliseconds. Has to be below the lock of the queue. */
  readonly timeoutMs?: number;
  /** Keys that sign the deliveries. Absent: they are not signed. */
  readonly keys?: DeliveryKeys;
}

export interface HttpDelivery {
  readonly deliver: Deliver;
  close(): Promise<void>;
}

const defaultTimeoutMs = 30_000;

/**
 * POSTs each item as a CloudEvent. A broken or missing answer is a failure that may pass. A failed
 * connection says nothing about the item. An item of a function without a URL is parked: the operator
 * has to set the URL.
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
