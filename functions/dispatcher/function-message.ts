/** Sends a CloudEvent to a function as an HTTP request and reads the answer. */
import type { Dispatcher } from 'undici';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { setOwnMember } from '#shared/domain/own-member.ts';
import { toBinaryMessage, type BinaryMessage } from '#shared/events/binary-message.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { signDelivery } from '#shared/events/delivery-signature.ts';
import { toStructuredMessage } from '#shared/events/structured-message.ts';
import { type WholeAnswer, wholeAnswer } from '#shared/kube/whole-answer.ts';
import type { HttpAnswer } from './verdicts.ts';

export interface Signing {
  readonly keys: readonly Uint8Array[];
  /** Milliseconds since the epoch, by the sender's clock. */
  readonly atMs: number;
}

export interface PostOptions {
  readonly url: URL;
  readonly dispatcher: Dispatcher;
  /** Timeout of the whole answer, milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const accept = 'application/problem+json';

/** Enough of a failure's reason for a parked item or a log line. */
const maxDetailLength = 4_096;

/** No function answers more, so the rest of a longer answer is not read. */
const enoughAnswerBytes = 64 * maxDetailLength;

/** In binary mode, or signed in structured mode: a signature covers only the body. Throws MR_EVENT_MALFORMED. */
export function functionMessage(event: CloudEvent, signing?: Signing): BinaryMessage {
  if (signing !== undefined) {
    return structuredMessage(toStructuredMessage(event).body, { ...signing, id: event.id });
  }
  const { headers, body } = toBinaryMessage(event);
  return { headers: { ...headers, accept }, body };
}

/** For an event that is in the JSON event format already. `id` is the id of the event. */
export function structuredMessage(
  body: string,
  signing?: Signing & { readonly id: string },
): BinaryMessage {
  const proof = signing === undefined ? {} : signDelivery(signing.keys, { ...signing, body });
  return { headers: { 'content-type': 'application/cloudevents+json', accept, ...proof }, body };
}

/** Throws AnswerTimeout, the signal's reason on abort, and connection errors of undici. */
export async function post(
  { headers, body }: BinaryMessage,
  { url, dispatcher, timeoutMs, signal }: PostOptions,
): Promise<HttpAnswer> {
  const { origin, pathname, search } = url;
  const answer = await wholeAnswer({
    ...{ dispatcher, timeoutMs, signal, enoughBytes: enoughAnswerBytes },
    request: { origin, path: `${pathname}${search}`, method: 'POST', headers, body },
  });
  return httpAnswerOf(answer);
}

function httpAnswerOf({ statusCode, headers, text }: WholeAnswer): HttpAnswer {
  const first: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    setOwnMember(first, name, Array.isArray(value) ? value[0] : value);
  }
  const { title, detail } = problemIn(text);
  return {
    ...{ status: statusCode, headers: first, detail: detail.slice(0, maxDetailLength) },
    ...(title === undefined ? {} : { title }),
  };
}

/** Problem details (RFC 9457), else the raw text: proxies send text or HTML. */
function problemIn(text: string): { readonly title?: string; readonly detail: string } {
  try {
    const problem = JSON.parse(text) as unknown;
    const { title, detail } = fieldsOf(problem);
    if (typeof detail === 'string')
      return { ...(typeof title === 'string' ? { title } : {}), detail };
  } catch {
    // Not JSON.
  }
  return { detail: text.trim() };
}
