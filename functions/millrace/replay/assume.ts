/**
 * Replaces recorded objects of a snapshot by those of a file.
 *
 * assume-1 Fields that the file does not set stay as recorded: uid, versions, status, and other objects of the
 *    snapshot.
 * assume-2 The object is redacted first, like the snapshot (redact.ts).
 */
import { fieldsOf, isObject, textOf } from '#shared/domain/json-value.ts';
import {
  groupVersionOf,
  type Json,
  type JsonObject,
  type NewObject,
} from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';

/** Returns the same snapshot if it contains none of these objects. */
export function assume(
  fn: Pick<EventFunction, 'assuming'>,
  snapshot: Json,
  objects: readonly NewObject[],
): Json {
  return objects.map(redactEnv).reduce((assumed: Json, object) => {
    const held = Object.entries(fieldsOf(assumed));
    const members = held.map(
      ([name, member]) =>
        [name, isSame(member, object) ? replaced(member, object) : member] as const,
    );
    const isHeld = members.some(([, member], index) => member !== held[index]?.[1]);
    const whole = isHeld ? Object.fromEntries(members) : assumed;
    return (fn.assuming?.(whole, object) ?? whole) as Json;
  }, snapshot);
}

/** A manifest without a namespace fits any namespace. */
function isSame(
  member: Json | undefined,
  { apiVersion, kind, metadata }: NewObject,
): member is JsonObject {
  if (!isObject(member) || member['kind'] !== kind) return false;
  const of = fieldsOf(member['metadata']);
  const { namespace } = metadata;
  return (
    groupVersionOf(textOf(member['apiVersion'])).group === groupVersionOf(apiVersion).group &&
    of['name'] === metadata.name &&
    (namespace === undefined || of['namespace'] === namespace)
  );
}

function replaced(recorded: JsonObject, object: NewObject): JsonObject {
  const metadata = fieldsOf(recorded['metadata']);
  const { labels, annotations } = object.metadata;
  const both = (name: string, added: Readonly<Record<string, string>> | undefined) =>
    added === undefined ? {} : { [name]: { ...fieldsOf(ownMember(metadata, name)), ...added } };
  return {
    ...recorded,
    metadata: { ...metadata, ...both('labels', labels), ...both('annotations', annotations) },
    spec: fieldsOf(object)['spec'] ?? {},
  };
}
