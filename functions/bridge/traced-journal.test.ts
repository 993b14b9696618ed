import { expect, it } from 'vitest';
import { jobReference } from '#shared/events/testing/job-reference.ts';
import { journalFormat } from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import type { Span } from '#shared/runtime/traces/span-exporter.ts';
import { tracedJournal } from './traced-journal.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const clock = { now: () => 25, monotonicMs: () => 25 };
const recordOf = (traceparent?: string) =>
  ({
    kind: 'event',
    format: journalFormat,
    event: { ...jobReference, ...(traceparent === undefined ? {} : { traceparent }) },
    atMs: 20,
  }) as const;

it('records the span that an event names, as the root of its trace, and stores the event', async () => {
  const spans: Span[] = [];
  const stored = createMemoryJournal({ clock });
  const journal = tracedJournal(stored, { add: (span) => void spans.push(span) }, clock);
  await journal.append([recordOf(`00-${traceId}-${spanId}-01`), recordOf()]);
  expect(spans).toEqual([
    {
      ...{ traceId, spanId, startMs: 20, endMs: 25, kind: 'producer' },
      name: 'dev.millrace.job.changed.v1',
      attributes: {
        'cloudevents.event_id': 'u-job.77',
        'cloudevents.event_type': 'dev.millrace.job.changed.v1',
        'k8s.namespace.name': 'default',
        'millrace.object.kind': 'Job',
        'millrace.object.name': 'flow-a-step',
      },
    },
  ]);
  expect(await stored.read(undefined, 10)).not.toEqual([]);
});

it('the trace has no span for an event that was not stored', async () => {
  const refusing = {
    ...createMemoryJournal({ clock }),
    append: () => Promise.reject(new Error('no store')),
  };
  const spans: Span[] = [];
  const journal = tracedJournal(refusing, { add: (span) => void spans.push(span) }, clock);
  await expect(journal.append([recordOf(`00-${traceId}-${spanId}-01`)])).rejects.toThrow();
  expect(spans).toEqual([]);
});
