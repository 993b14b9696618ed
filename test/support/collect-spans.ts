/**
 * An OpenTelemetry collector on loopback that receives spans as JSON (OTLP over HTTP) and keeps them.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  /** `service.name` of the sending process. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Id of the span's CloudEvent. Undefined: none. */
  readonly eventId: string | undefined;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** All received spans. */
  readonly spans: readonly CollectedSpan[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'service' | 'eventId' | 'parentSpanId'> & {
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

export async function collectSpans(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      spans.push(...spansOf(body as Export));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    spans,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans }: Export): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', attributes }) => ({
        ...{ name, traceId, spanId, parentSpanId },
        service: valueOf(resource.attributes, 'service.name') ?? '',
        eventId: valueOf(attributes, 'cloudevents.event_id'),
      })),
    ),
  );
}

function valueOf(attributes: readonly Attribute[], wanted: string): string | undefined {
  return attributes.find(({ key }) => key === wanted)?.value.stringValue;
}
