import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';

/**
 * A work item from a store that others can write to; undefined if it is invalid. A forged item can
 * only name an object, because its worker reads the object from the API server.
 */
export function parseWorkItem(value: unknown, functionName: string): WorkItem | undefined {
  if (!isRecord(value) || !isRecord(value['key'])) return undefined;
  const { cause, traceparent } = value;
  const { apiVersion, kind, namespace, name, uid } = value['key'];
  if (value['function'] !== functionName || typeof cause !== 'string') return undefined;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  if (typeof namespace !== 'string' || typeof name !== 'string') return undefined;
  if (typeof uid !== 'string' || uid === '') return undefined;
  return {
    function: functionName,
    key: { apiVersion, kind, namespace, name, uid: asUid(uid) },
    cause: asEventId(cause),
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Undefined if it is not JSON, null if it is absent. */
export function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
