import type { Clock } from '#shared/domain/clock.ts';
import { itemAttributes } from '#shared/runtime/traces/item-attributes.ts';
import type { Spans } from '#shared/runtime/traces/span-exporter.ts';
import { newSpanId, recordedTrace, traceparentText } from '#shared/runtime/traces/trace-context.ts';
import type { Deliver } from './deliver.ts';

/** Adds a span for each delivery, below that of the event. The function's own span is below it. */
export function tracedDelivery(deliver: Deliver, spans: Pick<Spans, 'add'>, clock: Clock): Deliver {
  return async (item, signal) => {
    const parent = recordedTrace(item.traceparent);
    if (parent === undefined) return deliver(item, signal);
    const own = { traceId: parent.traceId, spanId: newSpanId() };
    const startMs = clock.now();
    const delivery = await deliver({ ...item, traceparent: traceparentText(own) }, signal);
    const isFailure = !['done', 'requeue', 'later'].includes(delivery.kind);
    spans.add({
      ...own,
      parentSpanId: parent.spanId,
      name: `deliver ${item.function}`,
      kind: 'client',
      ...{ startMs, endMs: clock.now() },
      attributes: { ...itemAttributes(item), 'millrace.verdict': delivery.kind },
      ...(isFailure && 'detail' in delivery ? { failure: delivery.detail } : {}),
    });
    return delivery;
  };
}
