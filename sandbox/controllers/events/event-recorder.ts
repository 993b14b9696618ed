/**
 * Events as client-go's recorder writes them: core/v1, one object per object, reason and text,
 * with a count for repetitions (client-go tools/record, EventCorrelator).
 */
import type { Clock } from '#shared/domain/clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import type { ControllerApi } from '../controller.ts';
import { kindOf } from '../kinds.ts';
import { Writes } from '../writes.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Reports to users what a controller did to an object. Never throws: an Event is not worth a retry. */
export type RecordEvent = (regarding: KubeObject, text: EventText) => void;

interface RecordedEvent extends KubeObject {
  readonly count?: number;
  readonly lastTimestamp?: string;
}

const rememberedEvents = 4096;

/** One recorder per component, which `kubectl describe` shows as From. */
export function eventRecorders(
  api: ControllerApi,
  clock: Clock,
): (component: string) => RecordEvent {
  // Shared by all recorders, because the name of an Event contains only its time.
  let sequence = 0;
  const nextName = (name: string) => {
    sequence += 1;
    return `${name}.${nanoseconds(clock.now(), sequence)}`;
  };
  return (component) => recorderOf(component, api, clock, nextName);
}

function recorderOf(
  component: string,
  api: ControllerApi,
  clock: Clock,
  nextName: (name: string) => string,
): RecordEvent {
  const writes = new Writes(api, component);
  const names = new Map<string, string>();
  return (regarding, text) => {
    const { namespace = 'default', uid } = regarding.metadata;
    const type = kindOf(api, 'events');
    const identity = [uid, text.type, text.reason, text.message].join('\n');
    const known = names.get(identity);
    const recorded = known === undefined ? undefined : api.store.get(type, namespace, known);
    try {
      if (recorded !== undefined) {
        writes.update(type, repeated(recorded, clock.now()));
        return;
      }
      const name = nextName(regarding.metadata.name);
      writes.create(type, namespace, newEvent(regarding, text, component, name, clock.now()));
      names.delete(identity);
      names.set(identity, name);
      if (names.size > rememberedEvents) names.delete(names.keys().next().value ?? '');
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  };
}

/** For simulations that look at states only. */
export const recordNothing: RecordEvent = () => undefined;

function repeated(event: RecordedEvent, nowMs: number): KubeObject {
  const next = { ...event, count: (event.count ?? 1) + 1, lastTimestamp: rfc3339(nowMs) };
  return next;
}

function newEvent(
  regarding: KubeObject,
  { type, reason, message }: EventText,
  component: string,
  name: string,
  nowMs: number,
) {
  const { metadata } = regarding;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: metadata.namespace ?? 'default' },
    involvedObject: {
      apiVersion: regarding.apiVersion,
      kind: regarding.kind,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
    },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
    firstTimestamp: rfc3339(nowMs),
    lastTimestamp: rfc3339(nowMs),
    eventTime: null,
    count: 1,
  };
}

/** Hexadecimal, as in the names of client-go's Events. The sequence number distinguishes Events of one millisecond. */
function nanoseconds(nowMs: number, sequence: number): string {
  return (BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(sequence % 1_000_000)).toString(16);
}
