/**
 * Sends spans to a collector: OTLP 1 over HTTP with JSON (opentelemetry-proto, trace service).
 *
 * S1 No work waits for it, and none fails with it: what the collector does not take is dropped and counted.
 * S2 It holds a bounded number of spans.
 */
import { Counter, type Registry } from 'prom-client';
import { request } from 'undici';
import type { Logger } from '../process/telemetry.ts';
import type { TraceContext } from './trace-context.ts';

export interface Span extends TraceContext {
  /** Absent: of the root of the trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'consumer' | 'client' | 'producer';
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** Why it failed. Absent: it did not. */
  readonly failure?: string;
}

export interface Spans {
  add(span: Span): void;
  /** Sends what there is. Never rejects. */
  close(): Promise<void>;
}

export interface SpanExporterOptions {
  /** `/v1/traces` is added to it. */
  readonly endpoint: string;
  /** Name of the process. */
  readonly name: string;
  readonly version: string;
  /** Of the replica. */
  readonly instance: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly registry: Registry;
}

const mostHeld = 2_048;
const batchSize = 512;
const everyMs = 2_000;
const timeoutMs = 5_000;

export class SpanExporter implements Spans {
  readonly #options: SpanExporterOptions;
  readonly #url: string;
  readonly #lost: Counter;
  readonly #timer: NodeJS.Timeout;
  #held: Span[] = [];
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#url = `${options.endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#lost = new Counter({
      name: 'millrace_spans_lost_total',
      help: 'Spans that the collector did not take, or for which there was no room.',
      registers: [options.registry],
    });
    this.#timer = setInterval(() => void this.#send(), everyMs).unref();
  }

  add(span: Span): void {
    if (this.#held.length >= mostHeld) this.#lost.inc();
    else this.#held.push(span);
    if (this.#held.length >= batchSize) void this.#send();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    await this.#send();
  }

  /** One at a time; what joins meanwhile waits for the next. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendHeld().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendHeld(): Promise<void> {
    const batch = this.#held;
    if (batch.length === 0) return;
    this.#held = [];
    try {
      const { statusCode, body } = await request(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(exportRequest(batch, this.#options)),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await body.dump();
      if (statusCode >= 300) throw new Error(`the collector answered ${statusCode}`);
      this.#isFailing = false;
    } catch (err) {
      this.#lost.inc(batch.length);
      if (!this.#isFailing) this.#options.logger.warn({ err }, 'spans are lost');
      this.#isFailing = true;
    }
  }
}

/** SpanKind and StatusCode of opentelemetry-proto. */
const kinds = { client: 3, producer: 4, consumer: 5 } as const;
const failed = 2;

function exportRequest(
  spans: readonly Span[],
  { name, version, instance }: Pick<SpanExporterOptions, 'name' | 'version' | 'instance'>,
): object {
  const resource = {
    'service.namespace': 'millrace',
    'service.name': name,
    'service.version': version,
    'service.instance.id': instance,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'millrace', version }, spans: spans.map(asSent) }],
      },
    ],
  };
}

function asSent({ kind, startMs, endMs, attributes, failure, ...rest }: Span): object {
  return {
    ...rest,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    ...(failure === undefined ? {} : { status: { code: failed, message: failure } }),
  };
}

/** A 64-bit number is a text in the JSON of protobuf. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function attributesOf(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }));
}
