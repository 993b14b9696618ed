import { Agent } from 'undici';
import type { Clock } from '#shared/domain/clock.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { setOwnMember } from '#shared/domain/own-member.ts';
import { toBinaryMessage, type BinaryMessage } from '#shared/events/binary-message.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { signDelivery } from '#shared/events/delivery-signature.ts';
import { toStructuredMessage } from '#shared/events/structured-message.ts';
import { AnswerTimeout, type WholeAnswer, wholeAnswer } from '#shared/kube/whole-answer.ts';
import type { DeliveryKeys } from '#shared/runtime/function/delivery-keys.ts';
import type { Deliver } from './deliver.ts';
import { verdictOfAnswer, verdictOfFailure, type HttpAnswer } from './verdicts.ts';

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

/** As much of a failure's reason as a parked item or a log line needs. */
const maxDetailLength = 4_096;

/** No function answers more; who else does is not listened to any longer. */
const enoughAnswerBytes = 64 * maxDetailLength;

/**
 * POSTs each item as a CloudEvent. A broken answer or none in time is a failure that may pass;
 * a connection that does not come about tells nothing of the item; a function without a URL is a
 * matter for the operator and parks the item.
 */
export function createHttpDelivery(options: HttpDeliveryOptions): HttpDelivery {
  const { urls, decided, clock, timeoutMs = defaultTimeoutMs } = options;
  const agent = new Agent({ keepAliveTimeout: 60_000, connectTimeout: 5_000 });
  const deliver: Deliver = async (item, signal) => {
    const url = urls.get(item.function);
    if (url === undefined) {
      return { kind: 'parked', detail: `no URL is configured for function ${item.function}` };
    }
    const { headers, body } = messageOf(
      dueEvent(item, 'dispatcher', decided?.get(item.function)),
      options,
    );
    const { origin, pathname, search } = url;
    try {
      const answer = await wholeAnswer({
        dispatcher: agent,
        request: { origin, path: `${pathname}${search}`, method: 'POST', headers, body },
        timeoutMs,
        signal,
        enoughBytes: enoughAnswerBytes,
      });
      return verdictOfAnswer(httpAnswerOf(answer), clock.now());
    } catch (error) {
      if (signal.aborted) return { kind: 'later', detail: 'the delivery was called off' };
      const isLate = error instanceof AnswerTimeout;
      return verdictOfFailure(error, isLate ? `no answer within ${timeoutMs} ms` : undefined);
    }
  };
  return { deliver, close: () => agent.close() };
}

/** Signed in structured mode, since a signature covers the body alone. */
function messageOf(
  event: CloudEvent,
  { keys, clock }: Pick<HttpDeliveryOptions, 'keys' | 'clock'>,
): BinaryMessage {
  const accept = 'application/problem+json';
  if (keys === undefined) {
    const { headers, body } = toBinaryMessage(event);
    return { headers: { ...headers, accept }, body };
  }
  const { headers, body } = toStructuredMessage(event);
  const signature = signDelivery(keys.current(), { id: event.id, atMs: clock.now(), body });
  return { headers: { ...headers, accept, ...signature }, body };
}

function httpAnswerOf({ statusCode, headers, text }: WholeAnswer): HttpAnswer {
  const first: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    setOwnMember(first, name, Array.isArray(value) ? value[0] : value);
  }
  return { status: statusCode, headers: first, detail: detailOf(text).slice(0, maxDetailLength) };
}

/** The `detail` of problem details (RFC 9457), else the text as it came. */
function detailOf(text: string): string {
  try {
    const problem = JSON.parse(text) as unknown;
    if (typeof problem === 'object' && problem !== null && 'detail' in problem) {
      return String(problem.detail);
    }
  } catch {
    // Not every answer on the way is ours: proxies send text or HTML.
  }
  return text.trim();
}
