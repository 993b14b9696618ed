/** A Kubernetes Event (events.k8s.io/v1) from the operation that asks for it. */
import { hash as digestOf } from 'node:crypto';
import type { NewObject } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { rfc3339Micro } from '#shared/domain/time.ts';
import { trimEnd } from './trim-end.ts';

/** Who emits, as the API wants to know it. */
export interface EventReporter {
  /** `millrace.dev/<function>`. */
  readonly controller: string;
  /** The process: a pod name or a host name. */
  readonly instance: string;
}

export interface ClusterEvent extends NewObject {
  readonly eventTime: string;
  readonly type: EmitEventOperation['type'];
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: EmitEventOperation['regarding'];
  readonly reportingController: string;
  readonly reportingInstance: string;
}

/** Limits of ValidateEventCreate (k8s.io/kubernetes pkg/apis/core/validation/events.go), in bytes. */
const limits = { note: 1024, reason: 128, action: 128, instance: 128, name: 253 } as const;

/** An Event about an object without a namespace stands in this one. */
const clusterScopeNamespace = 'default';

/**
 * The same operation gives the same name, so that applying a plan again adds no second Event. Texts
 * that the API server would refuse for their length are cut.
 */
export function clusterEvent(
  operation: EmitEventOperation,
  reporter: EventReporter,
  nowMs: number,
): ClusterEvent {
  const { regarding } = operation;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: eventName(operation),
      namespace: regarding.namespace === '' ? clusterScopeNamespace : regarding.namespace,
    },
    eventTime: rfc3339Micro(nowMs),
    type: operation.type,
    reason: cut(operation.reason, limits.reason),
    action: cut(operation.action, limits.action),
    note: cut(operation.note, limits.note),
    regarding,
    reportingController: reporter.controller,
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

/** At most `bytes` of UTF-8, without half a character at the end. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  const ellipsis = '...';
  const kept = new TextDecoder().decode(encoded.subarray(0, bytes - ellipsis.length), {
    stream: true, // holds half a character back instead of writing a replacement for it
  });
  return `${kept}${ellipsis}`;
}
