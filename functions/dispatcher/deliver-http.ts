import { Agent, request, type Dispatcher } from 'undici';
import type { Clock } from '#shared/domain/clock.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { toBinaryMessage, type BinaryMessage } from '#shared/events/binary-message.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { signDelivery } from '#shared/events/delivery-signature.ts';
import { toStructuredMessage } from '#shared/events/structured-message.ts';
import type { DeliveryKeys } from '#shared/runtime/function/delivery-keys.ts';
import type { Deliver } from './deliver.ts';
import { verdictOfAnswer, verdictOfFailure, type HttpAnswer } from './verdicts.ts';

export interface HttpDeliveryOptions {
  /** Where each function listens, by name. */
  readonly urls: ReadonlyMap<string, URL>;
  /** What each function decides about, by name; a function that is missing has events without subject. */
  readonly decided?: ReadonlyMap<string, Resource>;
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
const maxDetailBytes = 4_096;

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
    const deadline = AbortSignal.timeout(timeoutMs);
    const stop = AbortSignal.any([signal, deadline]);
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { ...headers, accept: 'application/problem+json' },
        body,
        signal: stop,
        dispatcher: agent,
      });
      return verdictOfAnswer(await readAnswer(response), clock.now());
    } catch (error) {
      if (signal.aborted) return { kind: 'later', detail: 'the delivery was called off' };
      return verdictOfFailure(
        error,
        deadline.aborted ? `no answer within ${timeoutMs} ms` : undefined,
      );
    }
  };
  return { deliver, close: () => agent.close() };
}

/** Signed in structured mode, since a signature covers the body alone. */
function messageOf(
  event: CloudEvent,
  { keys, clock }: Pick<HttpDeliveryOptions, 'keys' | 'clock'>,
): BinaryMessage {
  if (keys === undefined) return toBinaryMessage(event);
  const { headers, body } = toStructuredMessage(event);
  const signature = signDelivery(keys.current(), { id: event.id, atMs: clock.now(), body });
  return { headers: { ...headers, ...signature }, body };
}

async function readAnswer(response: Dispatcher.ResponseData): Promise<HttpAnswer> {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value[0] : value,
    ]),
  );
  const detail = detailOf(await readStart(response.body));
  return { status: response.statusCode, headers, detail };
}

/** Reads to the end, so that the connection can be used again, but keeps only the start. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < maxDetailBytes) kept.push(chunk);
    bytes += chunk.length;
    if (bytes > 64 * maxDetailBytes) break;
  }
  return Buffer.concat(kept).toString('utf8', 0, maxDetailBytes);
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
