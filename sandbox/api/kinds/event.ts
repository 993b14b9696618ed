/** Event in both its groups, stored as the core one (pkg/apis/core/validation/events.go). */
import { withWireFields } from '../../registry/event-conversion.ts';
import { asDraft, type Draft } from '../draft.ts';
import { invalid, required } from '../../apimachinery/cause.ts';
import { parseTime } from '#shared/domain/time.ts';
import { immutableFault } from '../metadata-rules.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

const longestNoteBytes = 1024;
const longestTextBytes = 128;

interface AnyEvent {
  readonly involvedObject?: { readonly namespace?: string };
  readonly regarding?: { readonly namespace?: string };
  readonly eventTime?: string | null;
  readonly type?: string;
  readonly note?: string;
  readonly reason?: string;
  readonly action?: string;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly deprecatedFirstTimestamp?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly deprecatedCount?: number;
  readonly deprecatedSource?: { readonly component?: string; readonly host?: string };
}

export const event: Strategy = {
  ...plain,
  createsOnUpdate: true,
  garbage: 'unsupported',
  prepareCreate: asOnTheWire,
  prepareUpdate: asOnTheWire,
  faults: (object, isCreate) => {
    const own = object as unknown as AnyEvent;
    const place = placeFaults(object, own);
    return object.apiVersion === 'v1' || !isCreate ? place : [...place, ...strictFaults(own)];
  },
  changeFaults: (object, old) => (object.apiVersion === 'v1' ? [] : toldFaults(object, old)),
};

function asOnTheWire(object: Draft): Draft {
  return asDraft(withWireFields(object));
}

function placeFaults({ metadata }: Draft, event: AnyEvent): readonly StatusCause[] {
  const [field, about] =
    event.regarding === undefined
      ? ['involvedObject.namespace', event.involvedObject]
      : ['involvedObject.namespace', event.regarding];
  const { namespace = '' } = about ?? {};
  const expected = namespace === '' ? 'default' : namespace;
  if (
    namespace === ''
      ? ['default', 'kube-system'].includes(metadata.namespace ?? '')
      : metadata.namespace === expected
  ) {
    return [];
  }
  return [invalid(field, namespace, 'does not match event.namespace')];
}

/** Only events.k8s.io requires these fields, and only in new Events. */
function strictFaults(event: AnyEvent): readonly StatusCause[] {
  const { eventTime, type = '', note = '', reason = '', action = '' } = event;
  const { reportingInstance = '' } = event;
  if (eventTime === undefined || eventTime === null) {
    return [required('eventTime'), ...typeFaults(type)];
  }
  const found: StatusCause[] = [];
  if (parseTime(eventTime) === undefined) found.push(invalid('eventTime', eventTime, 'is no time'));
  if ((event.reportingController ?? '') === '') found.push(required('reportingController'));
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === '') found.push(required(field));
    else found.push(...lengthFaults(field, text, longestTextBytes));
  }
  found.push(...lengthFaults('message', note, longestNoteBytes));
  return [...found, ...typeFaults(type), ...deprecatedFaults(event)];
}

function lengthFaults(field: string, text: string, limit: number): readonly StatusCause[] {
  if (Buffer.byteLength(text) <= limit) return [];
  return [invalid(field, '', `can have at most ${limit} characters`)];
}

/** Faults of fields that only core Events have. */
function deprecatedFaults(event: AnyEvent): readonly StatusCause[] {
  const { component = '', host = '' } = event.deprecatedSource ?? {};
  const set = {
    firstTimestamp: (event.deprecatedFirstTimestamp ?? null) !== null,
    lastTimestamp: (event.deprecatedLastTimestamp ?? null) !== null,
    count: (event.deprecatedCount ?? 0) !== 0,
    source: component !== '' || host !== '',
  };
  return Object.entries(set).flatMap(([field, isSet]) =>
    isSet ? [invalid(field, '', 'needs to be unset')] : [],
  );
}

/**
 * All fields but the series are immutable, under their names in the core group (ValidateEventUpdate, which checks the
 * reason twice).
 */
const reportFields = [
  ['involvedObject', 'regarding'],
  ['reason', 'reason'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
] as const;

function toldFaults(object: Draft, old: Draft): readonly StatusCause[] {
  return reportFields.flatMap(([name, field]) => immutableFault(name, object[field], old[field]));
}

function typeFaults(type: string): readonly StatusCause[] {
  if (type === 'Normal' || type === 'Warning') return [];
  return [invalid('type', type, `has invalid value: ${type}`)];
}
