import { expect, it } from 'vitest';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { Span } from '#shared/runtime/traces/span-exporter.ts';
import { tracedProcess } from '#shared/runtime/function/traced-process.ts';
import { workItem } from './testing/work-item.ts';
import { tracedDelivery } from './traced-delivery.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const eventSpan = '00f067aa0ba902b7';

/** The spans that dispatcher and function record for one item, if the function returns this verdict. */
async function recorded(verdict: Verdict, item: WorkItem): Promise<readonly Span[]> {
  const spans: Span[] = [];
  let nowMs = 0;
  const clock = { now: () => (nowMs += 5) };
  const recorder = { add: (span: Span) => void spans.push(span) };
  const process = tracedProcess(() => Promise.resolve(verdict), recorder, clock);
  const deliver = tracedDelivery(process, recorder, clock);
  expect(await deliver(item, new AbortController().signal)).toEqual(verdict);
  return spans;
}

it('records what a function does under its delivery, and that under the event', async () => {
  const item = workItem('a', { traceparent: `00-${traceId}-${eventSpan}-01` });
  const [run, delivery] = await recorded({ kind: 'done' }, item);
  expect(delivery).toMatchObject({ traceId, parentSpanId: eventSpan, kind: 'client', startMs: 5 });
  expect(run).toMatchObject({ traceId, parentSpanId: delivery?.spanId, startMs: 10, endMs: 15 });
  expect(run?.name).toBe(item.function);
  expect(delivery?.name).toBe(`deliver ${item.function}`);
  expect(run?.attributes).toMatchObject({
    'millrace.verdict': 'done',
    'millrace.object.name': 'a',
  });
  expect(run).not.toHaveProperty('failure');
});

it('the span of a failure has its reason', async () => {
  const item = workItem('a', { traceparent: `00-${traceId}-${eventSpan}-01` });
  for (const span of await recorded({ kind: 'parked', detail: 'no such flow' }, item))
    expect(span.failure).toBe('no such flow');
});

it('an item without a trace, or in a trace that is not sampled, has no span', async () => {
  expect(await recorded({ kind: 'done' }, workItem('a'))).toEqual([]);
  const unsampled = workItem('a', { traceparent: `00-${traceId}-${eventSpan}-00` });
  expect(await recorded({ kind: 'done' }, unsampled)).toEqual([]);
});
