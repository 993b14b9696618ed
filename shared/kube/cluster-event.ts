/**
 * Makes a Kubernetes Event of an operation. It is a core Event, with the fields that recorders of
 * either group fill (client-go tools/record and tools/events). kubectl sorts by lastTimestamp, in
 * `describe` always. An Event of events.k8s.io/v1 may lack it and would be out of order.
 */
import { hash as digestOf } from 'node:crypto';
import type { NewObject } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { rfc3339, rfc3339Micro } from '#shared/domain/time.ts';
import { trimEnd } from './trim-end.ts';

/** The emitter, in the fields of the API. */
export interface EventReporter {
  /** `millrace.dev/<function>`. */
  readonly controller: string;
  /** The process: a pod name or a host name. */
  readonly instance: string;
}

export interface ClusterEvent extends NewObject {
  readonly eventTime: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly type: EmitEventOperation['type'];
  readonly reason: string;
  readonly action: string;
  readonly message: string;
  readonly involvedObject: EmitEventOperation['regarding'];
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** Limits of ValidateEventCreate (k8s.io/kubernetes pkg/apis/core/validation/events.go), in bytes. */
const limits = { note: 1024, reason: 128, action: 128, instance: 128, name: 253 } as const;

/** The namespace of an Event about a cluster-scoped object. */
const clusterScopeNamespace = 'default';

/**
 * The same operation gives the same name, so that applying a plan again adds no second Event. Texts
 * that are too long for the API server are cut.
 */
export function clusterEvent(
  operation: EmitEventOperation,
  reporter: EventReporter,
  nowMs: number,
): ClusterEvent {
  const { regarding } = operation;
  const seen = rfc3339(nowMs);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: eventName(operation),
      namespace: regarding.namespace === '' ? clusterScopeNamespace : regarding.namespace,
    },
    eventTime: rfc3339Micro(nowMs),
    firstTimestamp: seen,
    lastTimestamp: seen,
    count: 1,
    type: operation.type,
    reason: cut(operation.reason, limits.reason),
    action: cut(operation.action, limits.action),
    message: cut(operation.note, limits.note),
    involvedObject: regarding,
    source: { component: reporter.controller },
    reportingComponent: reporter.controller,
    reportingInstance: cut(reporter.instance, limits.instance),
  };
}

/** `<object name>.<hash>`; a cut object name must not end in a separator. */
export function eventName({ regarding, reason, occurrence }: EmitEventOperation): string {
  const text = JSON.stringify([regarding.uid, reason, occurrence]);
  const hash = digestOf('sha256', text, 'hex').slice(0, 16);
  const room = limits.name - hash.length - 1;
  return `${trimEnd(regarding.name.slice(0, room), '-.')}.${hash}`;
}

/** At most `bytes` of UTF-8, without a partial character at the end. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  const ellipsis = '...';
  const kept = new TextDecoder().decode(encoded.subarray(0, bytes - ellipsis.length), {
    stream: true, // holds a partial character back instead of writing a replacement for it
  });
  return `${kept}${ellipsis}`;
}
