/** Objects from the wire: checked once here and trusted afterwards. */
import {
  apiVersionOf,
  asResourceVersion,
  groupVersionOf,
  type JsonObject,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { KubeList } from './client.ts';

/** Thrown inside the client only. It becomes MR_API_UNREACHABLE with the request's name. */
export class Unparsable extends Error {
  override readonly name = 'Unparsable';
}

type Fields = Readonly<Record<string, unknown>>;

const ofStored = ['name', 'uid', 'resourceVersion'];

/** As {@link objectFromWire}, for a dry run: it has no resourceVersion. */
export function triedFromWire(value: unknown, resource: Resource): KubeObject {
  return objectFromWire(value, resource, ['name']);
}

/**
 * Adds apiVersion and kind (absent in list items). Removes `metadata.managedFields`, which is half
 * of an object's bytes and unused by decisions. Throws {@link Unparsable}.
 */
export function objectFromWire(
  value: unknown,
  resource: Resource,
  required = ofStored,
): KubeObject {
  const object = fieldsOf(value, resource.kind);
  const { managedFields, ...metadata } = fieldsOf(object['metadata'], 'metadata');
  for (const field of required) {
    if (typeof ownMember(metadata, field) !== 'string') {
      throw new Unparsable(`${resource.kind} without metadata.${field}`);
    }
  }
  return {
    ...object,
    apiVersion:
      typeof object['apiVersion'] === 'string' ? object['apiVersion'] : apiVersionOf(resource),
    kind: typeof object['kind'] === 'string' ? object['kind'] : resource.kind,
    metadata: metadata as unknown as KubeObject['metadata'],
  };
}

/** The status of a review, which is not a stored object. Throws {@link Unparsable}. */
export function statusFromWire(value: unknown, resource: Resource): JsonObject {
  return fieldsOf(fieldsOf(value, resource.kind)['status'], 'status') as JsonObject;
}

/** Takes an APIResourceList, which lists subresources as well. Throws {@link Unparsable}. */
export function resourcesFromWire(value: unknown, apiVersion: string): readonly Resource[] {
  const { resources } = fieldsOf(value, 'APIResourceList');
  if (!Array.isArray(resources)) throw new Unparsable('APIResourceList without resources');
  const { group, version } = groupVersionOf(apiVersion);
  return resources
    .map((resource) => fieldsOf(resource, 'APIResource'))
    .flatMap(({ name, kind, namespaced }) =>
      typeof name !== 'string' || typeof kind !== 'string' || name.includes('/')
        ? []
        : [{ group, version, plural: name, kind, namespaced: namespaced === true }],
    );
}

/** Throws {@link Unparsable}. */
export function listFromWire(value: unknown, resource: Resource): KubeList {
  const list = fieldsOf(value, 'list');
  const metadata = fieldsOf(list['metadata'], 'list metadata');
  const { resourceVersion, continue: next } = metadata;
  const items = list['items'] ?? [];
  if (typeof resourceVersion !== 'string') throw new Unparsable('list without resourceVersion');
  if (!Array.isArray(items)) throw new Unparsable('list without items');
  return {
    resourceVersion: asResourceVersion(resourceVersion),
    ...(typeof next === 'string' && next !== '' ? { continue: next } : {}),
    items: items.map((item) => objectFromWire(item, resource)),
  };
}

/** Throws {@link Unparsable}. */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Unparsable(`${what} is no object`);
  }
  return value as Fields;
}

/** Throws {@link Unparsable}. */
export function jsonFromWire(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Unparsable(cause instanceof Error ? cause.message : 'not JSON');
  }
}
