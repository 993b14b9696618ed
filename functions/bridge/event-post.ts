/** An event by POST to a sink, in binary mode. */
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { MillraceError } from '#shared/domain/errors.ts';
import { toBinaryMessage } from '#shared/events/binary-message.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { faultText } from '#shared/kube/broken-connection.ts';
import { AnswerTimeout, wholeAnswer } from '#shared/kube/whole-answer.ts';
import type { SinkAddress } from './sink-settings.ts';

/** Longest time for one event, in milliseconds; below the drain time, so that no end waits for a sink. */
export const sinkTimeoutMs = 10_000;

/** Events under way, of all senders together. */
export const concurrentEvents = 16;

/** Below {@link sinkTimeoutMs}: to be unreachable is another failure than to be slow. */
const connectTimeoutMs = 5_000;

export interface Refusal {
  readonly error: MillraceError;
  /** Absent: there was no answer in time. */
  readonly statusCode?: number;
}

export interface EventPost {
  /**
   * Returns why the event was not taken; undefined when it was. Throws MR_SINK_UNAVAILABLE where the sink is not
   * reached, MR_EVENT_MALFORMED for what is no event, and the reason of `signal` when that aborts.
   */
  send(event: CloudEvent, signal?: AbortSignal): Promise<Refusal | undefined>;
  close(): Promise<void>;
}

/** `timeoutMs`: default {@link sinkTimeoutMs}. */
export function createEventPost({
  url,
  authorities,
  extensions,
  timeoutMs = sinkTimeoutMs,
}: SinkAddress & { readonly timeoutMs?: number }): EventPost {
  const agent = new Agent({
    connections: concurrentEvents,
    connect: {
      timeout: connectTimeoutMs,
      ...(authorities === undefined ? {} : { ca: [...rootCertificates, authorities] }),
    },
  });
  const notTaken = (detail: string, cause?: unknown): MillraceError =>
    new MillraceError('MR_SINK_UNAVAILABLE', { address: addressOf(url), detail }, { cause });
  const { origin, pathname, search } = url;
  return {
    send: async (event, signal) => {
      const { headers, body } = toBinaryMessage({
        ...event,
        extensions: { ...event.extensions, ...extensions },
      });
      try {
        const { statusCode } = await wholeAnswer({
          dispatcher: agent,
          request: { origin, path: `${pathname}${search}`, method: 'POST', headers, body },
          timeoutMs,
          signal,
        });
        if (statusCode >= 200 && statusCode < 300) return undefined;
        return { error: notTaken(`it answered ${statusCode}`), statusCode };
      } catch (error) {
        if (signal?.aborted === true) throw error;
        if (error instanceof AnswerTimeout) {
          return { error: notTaken(`no answer within ${timeoutMs} ms`, error) };
        }
        throw notTaken(faultText(error), error);
      }
    },
    close: () => agent.close(),
  };
}

/** Without what is for the sink alone. */
export function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
