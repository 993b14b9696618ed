import type { Clock } from '#shared/domain/clock.ts';
import type { Journal } from '#shared/journal/journal.ts';
import type { Spans } from '#shared/runtime/traces/span-exporter.ts';
import { recordedTrace } from '#shared/runtime/traces/trace-context.ts';

/** Adds a span for each recorded event: the root of its trace. An event that is published again has the same one. */
export function tracedJournal(journal: Journal, spans: Pick<Spans, 'add'>, clock: Clock): Journal {
  return {
    append: async (records) => {
      const appended = await journal.append(records);
      const endMs = clock.now();
      for (const record of records) {
        const own = record.kind === 'event' ? recordedTrace(record.event.traceparent) : undefined;
        if (own === undefined || record.kind !== 'event') continue;
        const { type, id, kind, namespace, name } = record.event;
        spans.add({
          ...own,
          name: type,
          kind: 'producer',
          ...{ startMs: record.atMs, endMs },
          attributes: {
            'cloudevents.event_id': id,
            'cloudevents.event_type': type,
            'millrace.object.kind': kind,
            'millrace.object.name': name,
            ...(namespace === '' ? {} : { 'k8s.namespace.name': namespace }),
          },
        });
      }
      return appended;
    },
    read: (after, limit) => journal.read(after, limit),
    epoch: () => journal.epoch(),
    close: () => journal.close(),
  };
}
