/** Fixtures for the tests of this folder: a schema with every kind of list and map, and a matching object. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Ownership } from './managed-fields.ts';
import type { Schema } from '../schema/schema.ts';

const text: Schema = { type: 'string' };

export const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        labels: { type: 'object', additionalProperties: text },
        args: { type: 'array', items: text },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { ...text, default: 'TCP' },
              note: text,
            },
          },
        },
      },
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

export const at = (second: number): string => `2024-01-01T00:00:0${second}Z`;

export const object = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', uid: 'u' },
  spec,
  ...more,
});

/** By `manager operation subresource`. */
export function fieldsByOwner(of: JsonObject): JsonObject {
  const { managedFields = [] } = of['metadata'] as { managedFields?: readonly Ownership[] };
  return Object.fromEntries(
    managedFields.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter((part) => part !== undefined).join(' '),
      fieldsV1,
    ]),
  );
}
