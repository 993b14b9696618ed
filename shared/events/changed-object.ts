/**
 * The object of an inbound event, in either dialect: Millrace's own types, or the six of Knative's
 * ApiServerSource. Those have the whole object or an ObjectReference as data, random ids, and possibly an
 * empty namespace. Only the object's name and owner are used, never its content (law 1).
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import {
  asEventId,
  asResourceVersion,
  asUid,
  type EventId,
  type Json,
  type JsonObject,
  type ResourceVersion,
  type Uid,
} from '#shared/domain/objects.ts';
import type { CloudEvent } from './cloud-event.ts';
import type { EventReference } from './event-reference.ts';
import { malformed } from './malformed.ts';

export interface ChangedObject {
  readonly dialect: 'millrace' | 'knative';
  /** `due`: nothing changed; a waiting time or the wait in the queue is over. */
  readonly change: 'changed' | 'deleted' | 'due';
  readonly id: EventId;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** Absent in Knative's reference mode. */
  readonly uid?: Uid;
  readonly resourceVersion?: ResourceVersion;
  /** The controller owner; also absent if the event does not say (reference mode). */
  readonly owner?: NonNullable<EventReference['owner']>;
  /** The original event, if it is not this one. */
  readonly cause?: EventId;
  readonly traceparent?: string;
}

type EventType = Pick<ChangedObject, 'dialect' | 'change'> & { readonly kind?: string };

/** Undefined for a type of neither dialect. Throws MR_EVENT_MALFORMED if the object is not named. */
export function changedObjectOf(event: CloudEvent): ChangedObject | undefined {
  const type = parseType(event.type);
  if (type === undefined) return undefined;
  const data = dataObject(event);
  const meta = asObject(data['metadata']) ?? data;
  const { extensions } = event;
  const kind = named('kind', kindPattern, extensions['kind'], data['kind']);
  if (type.kind !== undefined && type.kind !== kind.toLowerCase()) {
    malformed(`kind "${kind}" does not belong to type "${event.type}"`);
  }
  return {
    dialect: type.dialect,
    change: type.change,
    id: asEventId(named('id', eventIdPattern, event.id, undefined)),
    apiVersion: named('apiversion', versionPattern, extensions['apiversion'], data['apiVersion']),
    kind,
    namespace: namespaceOf(extensions['namespace'], meta['namespace']),
    name: named('name', namePattern, extensions['name'], meta['name']),
    ...present('uid', known('uid', uidPattern, extensions['uid'], meta['uid']), asUid),
    ...present(
      'resourceVersion',
      known(
        'resourceversion',
        tokenPattern,
        extensions['resourceversion'],
        meta['resourceVersion'],
      ),
      asResourceVersion,
    ),
    ...present('owner', ownerIn(data, meta), (owner) => owner),
    ...present(
      'cause',
      known('causationid', eventIdPattern, extensions['causationid'], undefined),
      asEventId,
    ),
    ...present('traceparent', traceparentIn(extensions['traceparent']), (value) => value),
  };
}

/** Longest quoted value in a reason, in characters. */
const maxShownLength = 100;

const kindPattern = /^[A-Z][A-Za-z0-9]{0,62}$/;
const versionPattern = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?v[a-z0-9]{1,62}$/;
const namePattern = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const namespacePattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const uidPattern = /^[A-Za-z0-9._-]{1,128}$/;
const tokenPattern = uidPattern;
/**
 * The specification allows any text. Ids of Millrace and Knative are plain, and they are used in logs and
 * keys.
 */
const eventIdPattern = /^[\x21-\x7e]{1,512}$/;
/** W3C Trace Context, section 3.2: version, trace, parent and flags; 55 characters. */
const traceparentPattern =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A malformed trace is ignored and never a fault (section 3.2.4: the receiver starts its own). */
function traceparentIn(text: string | undefined): string | undefined {
  return text !== undefined && traceparentPattern.test(text) ? text : undefined;
}

function parseType(type: string): EventType | undefined {
  const own = /^dev\.millrace\.([a-z0-9]+)\.(changed|deleted|due)\.v1$/.exec(type);
  if (own?.[1] !== undefined && own[2] !== undefined) {
    return { dialect: 'millrace', kind: own[1], change: own[2] as ChangedObject['change'] };
  }
  const knative = /^dev\.knative\.apiserver\.(?:resource|ref)\.(add|update|delete)$/.exec(type);
  if (knative === null) return undefined;
  return { dialect: 'knative', change: knative[1] === 'delete' ? 'deleted' : 'changed' };
}

function dataObject(event: CloudEvent): JsonObject {
  if (event.data === undefined) return {};
  if (event.data instanceof Uint8Array) return malformed('the data is not JSON');
  return asObject(event.data) ?? malformed('the data is not a JSON object');
}

/** The value from extension or data. Throws if both are given and differ. */
function known(
  name: string,
  pattern: RegExp,
  extension: string | undefined,
  member: Json | undefined,
): string | undefined {
  if (member !== undefined && typeof member !== 'string') malformed(`${name} is not a string`);
  if (extension !== undefined && member !== undefined && extension !== member) {
    malformed(`${name} is "${extension}" in the attributes and "${member}" in the data`);
  }
  const value = extension ?? member;
  if (value !== undefined && !pattern.test(value)) {
    malformed(`"${value.slice(0, maxShownLength)}" is not a valid ${name}`);
  }
  return value;
}

function named(...source: Parameters<typeof known>): string {
  return known(...source) ?? malformed(`${source[0]} is missing`);
}

/** ApiServerSource uses an empty namespace for a cluster-scoped object. */
function namespaceOf(extension: string | undefined, member: Json | undefined): string {
  const given = (value: Json | undefined) => (value === '' ? undefined : value);
  const inAttributes = extension === '' ? undefined : extension;
  return known('namespace', namespacePattern, inAttributes, given(member)) ?? '';
}

function ownerIn(data: JsonObject, meta: JsonObject): ChangedObject['owner'] {
  const references = meta['ownerReferences'];
  const owner =
    data['owner'] ??
    (isList(references) ? references : []).find(
      (reference) => asObject(reference)?.['controller'] === true,
    );
  return owner === undefined || owner === null ? undefined : parseOwner(owner);
}

function parseOwner(value: Json): NonNullable<ChangedObject['owner']> {
  const owner = asObject(value) ?? malformed('the owner is not a JSON object');
  return {
    apiVersion: named("owner's apiVersion", versionPattern, undefined, owner['apiVersion']),
    kind: named("owner's kind", kindPattern, undefined, owner['kind']),
    name: named("owner's name", namePattern, undefined, owner['name']),
    uid: asUid(named("owner's uid", uidPattern, undefined, owner['uid'])),
  };
}

function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function present<Name extends string, Value, Result>(
  name: Name,
  value: Value | undefined,
  convert: (value: Value) => Result,
): { readonly [key in Name]?: Result } {
  return value === undefined
    ? {}
    : ({ [name]: convert(value) } as { readonly [key in Name]?: Result });
}
