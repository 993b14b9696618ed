/**
 * Imitates a broker of Knative Eventing for the Triggers of an installation. It takes an event and delivers it
 * to the Service of each matching Trigger, and again while that is busy.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#shared/domain/objects.ts';

/** The used fields of a Trigger. */
interface Trigger {
  readonly spec: {
    readonly filter: { readonly attributes: Readonly<Record<string, string>> };
    readonly subscriber: { readonly ref: { readonly name: string } };
    readonly delivery: { readonly retry: number };
  };
}

export interface RelayBroker {
  readonly url: string;
  /** Attributes of each received event, in order, and the status of its answer. */
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly status: number }[];
  /** Its answer to senders: 202 accepts an event. */
  answer: number;
  stop(): Promise<void>;
}

/** The answers after which Knative's dispatcher tries again (kncloudevents, SelectiveRetry). */
const passing: ReadonlySet<number> = new Set([404, 408, 409, 429]);
/** PT0.2S, exponential. */
const backoffMs = 200;

/** `serviceUrls`: addresses of the Services. Triggers to others have no subscriber. */
export async function startRelayBroker(
  triggers: readonly JsonObject[],
  serviceUrls: ReadonlyMap<string, string>,
): Promise<RelayBroker> {
  const received: RelayBroker['received'][number][] = [];
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const relay = { answer: 202 };
  const deliver = async (trigger: Trigger, headers: IncomingHttpHeaders, body: Buffer) => {
    const { filter, subscriber, delivery } = trigger.spec;
    const passes = Object.entries(filter.attributes).every(
      ([name, value]) => headers[`ce-${name}`] === value,
    );
    const url = serviceUrls.get(subscriber.ref.name);
    if (!passes || url === undefined) return;
    for (let attempt = 0; attempt <= delivery.retry; attempt += 1) {
      // An unreachable subscriber may come back.
      const status = await post(url, headers, body).catch(() => 503);
      if (status < 500 && !passing.has(status)) return;
      await sleep(backoffMs * 2 ** attempt, undefined, { signal: stopping.signal });
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { answer: status } = relay;
      const { headers } = request;
      received.push({ headers, status });
      response.writeHead(status).end();
      if (status !== 202) return;
      for (const trigger of triggers as unknown as readonly Trigger[]) {
        const delivery = deliver(trigger, headers, Buffer.concat(chunks)).catch(unlessStopped);
        underWay.add(delivery);
        void delivery.finally(() => underWay.delete(delivery));
      }
    });
  });
  const unlessStopped = (error: unknown): void => {
    if (!stopping.signal.aborted) throw error;
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(relay, {
    ...{ url: `http://127.0.0.1:${port}/millrace/millrace`, received },
    stop: async () => {
      stopping.abort();
      await Promise.all(underWay);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/**
 * In binary mode, with a broker's additions: an attribute of its own, and the wish for an event as the answer.
 */
async function post(url: string, from: IncomingHttpHeaders, body: Buffer): Promise<number> {
  const headers = Object.fromEntries(
    Object.entries(from).filter((entry): entry is [string, string] =>
      /^(ce-|content-type$)/.test(entry[0]),
    ),
  );
  const added = { prefer: 'reply', 'ce-knativearrivaltime': new Date().toISOString() };
  const sent = await fetch(url, { method: 'POST', headers: { ...headers, ...added }, body });
  await sent.arrayBuffer();
  return sent.status;
}
