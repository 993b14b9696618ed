/** Rows of Events in either group (printEvent). */
import type { KubeObject } from '#shared/domain/objects.ts';
import { toCoreEvent } from './event-conversion.ts';
import { age } from './human-duration.ts';
import { columns, type Printer } from './printer.ts';

interface EventView {
  readonly involvedObject?: {
    readonly kind?: string;
    readonly name?: string;
    readonly fieldPath?: string;
  };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

export const eventPrinter: Printer = {
  columns: columns(
    'Last Seen',
    'Type',
    'Reason',
    'Object',
    '=Subobject',
    '=Source',
    'Message',
    '=First Seen',
    '=Count',
    '=Name',
  ),
  row: (object, nowMs) => {
    const event = toCoreEvent(object) as unknown as EventView;
    const { involvedObject: about = {}, series } = event;
    const first = event.firstTimestamp ?? event.eventTime;
    const last = series?.lastObservedTime ?? event.lastTimestamp ?? first;
    const kind = (about.kind ?? '').toLowerCase();
    return [
      age(last, nowMs),
      event.type ?? '',
      event.reason ?? '',
      (about.name ?? '') === '' ? kind : `${kind}/${about.name ?? ''}`,
      about.fieldPath ?? '',
      sourceText(event),
      (event.message ?? '').trim(),
      age(first, nowMs),
      series?.count ?? Math.max(1, event.count ?? 1),
      nameOf(object),
    ];
  },
};

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}

function sourceText({ source = {}, reportingComponent, reportingInstance }: EventView): string {
  const component = known(source.component, reportingComponent);
  const host = known(source.host, reportingInstance);
  return host === '' ? component : `${component}, ${host}`;
}

function known(first = '', second = ''): string {
  return first === '' ? second : first;
}
