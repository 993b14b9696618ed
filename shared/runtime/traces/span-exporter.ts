/**
 * Sends spans to a collector through the OpenTelemetry SDK (OTLP over HTTP with JSON). The SDK reads its
 * other settings itself: OTEL_EXPORTER_OTLP_HEADERS, _COMPRESSION, _TIMEOUT and _CERTIFICATE,
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
 *
 * span-1 No work waits for it or fails because of it. Spans that the collector does not accept are dropped and
 *    counted.
 * span-2 It holds a bounded number of spans.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import { counterOf, metric } from '#shared/runtime/process/metric.ts';
import type { Logger } from '../process/telemetry.ts';
import type { TraceContext } from './trace-context.ts';

export interface Span extends TraceContext {
  /** Absent: the root of the trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'consumer' | 'client' | 'producer';
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** Why it failed. Absent: it succeeded. */
  readonly failure?: string;
}

export interface Spans {
  add(span: Span): void;
  /** Sends the remaining spans, for at most {@link closeMs}. Never rejects. */
  close(): Promise<void>;
}

export interface SpanExporterOptions {
  /** `/v1/traces` is added to it. */
  readonly endpoint: string;
  /** Name of the process. */
  readonly name: string;
  readonly version: string;
  /** Name of the replica. */
  readonly instance: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly registry: Registry;
}

/** Most spans that wait or are being sent. */
const mostHeld = 2_048;
const fromEnvironment = [resourceAttributesEnvDetector, serviceNameEnvDetector];
const everyMs = 2_000;
const closeMs = 5_000;

export const spanMetrics = {
  lost: metric({
    name: 'millrace_spans_lost_total',
    type: 'counter',
    unit: 'number',
    by: 'bridge, dispatcher and functions with a collector of traces',
    says: 'Spans that the collector did not take, or for which there was no room.',
    next: 'Look at the collector; no work waits for it.',
    labels: {},
  }),
};

export function exportSpans(options: SpanExporterOptions): Spans {
  const { endpoint, name, version, instance, logger, registry } = options;
  const lost = counterOf(spanMetrics.lost, registry);
  const own = resourceFromAttributes({
    'service.namespace': 'millrace',
    'service.name': name,
    'service.version': version,
    'service.instance.id': instance,
  });
  const whence = {
    resource: own.merge(detectResources({ detectors: fromEnvironment })),
    instrumentationScope: { name: 'millrace', version },
  };
  let held = 0;
  let isFailing = false;
  const exporter = reporting(
    new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
    (count, error) => {
      held -= count;
      if (error !== undefined) lost.inc(count);
      if (error !== undefined && !isFailing) logger.warn({ err: error }, 'spans are lost');
      isFailing = error !== undefined;
    },
  );
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: mostHeld,
    scheduledDelayMillis: everyMs,
  });
  return {
    add: (span) => {
      if (held >= mostHeld) {
        lost.inc();
        return;
      }
      held += 1;
      processor.onEnd(asEnded(span, whence));
    },
    close: async () => {
      // The exporter reports the failure.
      const sent = processor.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(closeMs, undefined, { ref: false })]);
    },
  };
}

/** As `exporter`, and reports the result of each batch to `onEnd`. */
function reporting(
  exporter: SpanExporter,
  onEnd: (spans: number, error: Error | undefined) => void,
): SpanExporter {
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        const failed = result.error ?? new Error('the collector did not take them');
        onEnd(spans.length, result.code === ExportResultCode.SUCCESS ? undefined : failed);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const kinds = {
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** A span without a tracer: the traces of events begin before a tracer sees them. */
function asEnded(
  { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, failure }: Span,
  whence: Pick<ReadableSpan, 'resource' | 'instrumentationScope'>,
): ReadableSpan {
  const own = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    ...whence,
    name,
    kind: kinds[kind],
    spanContext: () => own,
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: { ...own, spanId: parentSpanId, isRemote: true } }),
    startTime: highResolution(startMs),
    endTime: highResolution(endMs),
    duration: highResolution(endMs - startMs),
    status:
      failure === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: failure },
    attributes,
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function highResolution(ms: number): [seconds: number, nanoseconds: number] {
  const microseconds = Math.round(ms * 1_000);
  return [Math.floor(microseconds / 1e6), (microseconds % 1e6) * 1_000];
}
