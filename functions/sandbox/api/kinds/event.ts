/** Event in both its groups, stored as the core one (pkg/apis/core/validation/events.go). */
import { withWireFields } from '../../registry/event-conversion.ts';
import { asDraft, type Draft } from '../draft.ts';
import { invalid, required } from '../../schema/cause.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { StatusCause } from '../status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

const longestNoteBytes = 1024;

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

/** Only events.k8s.io asks for these, and only of Events that are made anew. */
function strictFaults(event: AnyEvent): readonly StatusCause[] {
  const { eventTime, type = '', note = '', reason = '', action = '' } = event;
  if (eventTime === undefined || eventTime === null) {
    return [required('eventTime'), ...typeFaults(type)];
  }
  const found: StatusCause[] = [];
  if (parseTime(eventTime) === undefined) found.push(invalid('eventTime', eventTime, 'is no time'));
  if ((event.reportingController ?? '') === '') found.push(required('reportingController'));
  if ((event.reportingInstance ?? '') === '') found.push(required('reportingInstance'));
  if (action === '') found.push(required('action'));
  if (reason === '') found.push(required('reason'));
  if (Buffer.byteLength(note) > longestNoteBytes) {
    found.push(invalid('note', '', `can have at most ${longestNoteBytes} characters`));
  }
  return [...found, ...typeFaults(type)];
}

function typeFaults(type: string): readonly StatusCause[] {
  if (type === 'Normal' || type === 'Warning') return [];
  return [invalid('type', type, `has invalid value: ${type}`)];
}
