/** Sends an event by POST to a sink, in binary mode. */
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { MillraceError } from '#shared/domain/errors.ts';
import { toBinaryMessage } from '#shared/events/binary-message.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { faultText } from '#shared/kube/broken-connection.ts';
import { AnswerTimeout, wholeAnswer } from '#shared/kube/whole-answer.ts';
import type { SinkAddress } from './sink-settings.ts';

/** Timeout of one event, milliseconds. Below the drain time, so that no shutdown waits for a sink. */
export const sinkTimeoutMs = 10_000;

/** Limit for events in flight, over all senders together. */
export const concurrentEvents = 16;

/** Below {@link sinkTimeoutMs}, to distinguish an unreachable sink from a slow one. */
const connectTimeoutMs = 5_000;

export interface Refusal {
  readonly error: MillraceError;
  /** Absent: no answer in time. */
  readonly statusCode?: number;
}

export interface EventPost {
  /**
   * Returns why the event was refused; undefined if it was accepted. Throws MR_SINK_UNAVAILABLE if the
   * sink cannot be reached, MR_EVENT_MALFORMED if `event` is invalid, and the reason of an aborted `signal`.
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

/** Leaves out credentials and query, which are for the sink alone. */
export function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
