import { textHash } from '#shared/domain/hash.ts';
import {
  apiPath,
  apiVersionOf,
  type ObjectMeta,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import type { PublishedState, PublishedStates } from '#shared/api/published-states.ts';
import type { CloudEvent } from './cloud-event.ts';

/** `dev.millrace.<kind>.<state>.v1`, or `dev.millrace.<kind>.<part>.<state>.v1` for a part, in lower case. */
export function stateEventType(kind: string, state: string, part?: string): string {
  const words = [kind, ...(part === undefined ? [] : [part]), state];
  return `dev.millrace.${words.join('.').toLowerCase()}.v1`;
}

/** Extensions of a state event that a receiver can filter by. */
export const stateExtensions = {
  kind: 'Kind of the object.',
  apiversion: 'Its group and version, as in a manifest.',
  name: 'Its name.',
  namespace: 'Its namespace. Absent: it belongs to the whole cluster.',
  uid: 'Its uid.',
  step: 'Name of the step. Absent: the event is about the whole object.',
} as const;

/**
 * Reports that an object, or a part of it, has reached a state. Id, type and subject follow from the object alone,
 * so every repetition has the same id. Two states share an id only if the same state occurs twice within a second.
 * `source` is that of change events.
 */
export function stateEvent(
  resource: Resource,
  metadata: ObjectMeta,
  { part, state, occasion, time, says }: PublishedState,
  { source, parts }: { readonly source: string } & Pick<PublishedStates, 'parts'>,
): CloudEvent {
  const { namespace, name } = objectName(metadata);
  const { uid } = metadata;
  const { kind } = resource;
  const apiversion = apiVersionOf(resource);
  const word = part === undefined ? undefined : parts?.word;
  const ofPart = word === undefined || part === undefined ? {} : { [word]: part };
  const identity = textHash(JSON.stringify([part ?? null, state, occasion]));
  return {
    id: `${uid}.${identity}`,
    source,
    type: stateEventType(kind, state, word),
    subject: apiPath(resource, namespace, name),
    ...(time === undefined ? {} : { time }),
    datacontenttype: 'application/json',
    extensions: {
      kind,
      apiversion,
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid,
      ...ofPart,
    },
    data: {
      apiVersion: apiversion,
      kind,
      namespace,
      name,
      uid,
      ...ofPart,
      state,
      ...says,
    },
  };
}
