import type { Clock } from '#shared/domain/clock.ts';
import { itemAttributes } from '../traces/item-attributes.ts';
import type { Spans } from '../traces/span-exporter.ts';
import { newSpanId, recordedTrace } from '../traces/trace-context.ts';
import type { ProcessItem } from './process-item.ts';

/** A span for each run of an item, under the span of its delivery. */
export function tracedProcess(
  process: ProcessItem,
  spans: Pick<Spans, 'add'>,
  clock: Clock,
): ProcessItem {
  return async (item, signal) => {
    const parent = recordedTrace(item.traceparent);
    const startMs = clock.now();
    const verdict = await process(item, signal);
    if (parent !== undefined) {
      const { kind } = verdict;
      const isFailure = kind === 'retry' || kind === 'parked';
      spans.add({
        traceId: parent.traceId,
        spanId: newSpanId(),
        parentSpanId: parent.spanId,
        name: item.function,
        kind: 'consumer',
        ...{ startMs, endMs: clock.now() },
        attributes: { ...itemAttributes(item), 'millrace.verdict': kind },
        ...(isFailure ? { failure: verdict.detail } : {}),
      });
    }
    return verdict;
  };
}
