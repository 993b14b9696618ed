/** The type of a whole object: its schema, with the apiVersion, kind and metadata of every object. */
import type { Schema } from '../schema/schema.ts';
import { type FieldType, fieldType } from './field-type.ts';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };
const time: Schema = { type: 'string', format: 'date-time' };
const flag: Schema = { type: 'boolean' };

const ownerReference: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: flag,
    blockOwnerDeletion: flag,
  },
};

/** metav1.ObjectMeta with its merge rules. */
export const objectMeta: Schema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer' },
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: 'array',
      items: ownerReference,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
    },
    finalizers: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    managedFields: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'object' } },
  },
};

/** A kind without a schema keeps everything. */
const unknown: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const known = new WeakMap<Schema, Schema>();

/** The schema of the whole object including `metadata`. Returns the same object for the same schema. */
export function wholeSchema(schema: Schema = unknown): Schema {
  let whole = known.get(schema);
  if (whole === undefined) {
    const properties = { apiVersion: text, kind: text, ...schema.properties, metadata: objectMeta };
    whole = { ...schema, properties };
    known.set(schema, whole);
  }
  return whole;
}

const types = new WeakMap<Schema, FieldType>();

/** `wholeSchema` as server-side apply sees it. `metadata.managedFields` has no owner. */
export function objectType(schema: Schema = unknown): FieldType {
  let type = types.get(schema);
  if (type === undefined) {
    type = withoutManagedFields(fieldType(wholeSchema(schema)));
    types.set(schema, type);
  }
  return type;
}

function withoutManagedFields(type: FieldType): FieldType {
  const metadata = type.map?.typeOf('metadata');
  if (!metadata) return type;
  return override(type, 'metadata', override(metadata, 'managedFields', { ignored: true }));
}

function override(type: FieldType, name: string, as: FieldType): FieldType {
  const { map } = type;
  if (!map) return type;
  return {
    map: {
      isAtomic: map.isAtomic,
      declares: (field) => map.declares(field),
      typeOf: (field) => (field === name ? as : map.typeOf(field)),
    },
  };
}
