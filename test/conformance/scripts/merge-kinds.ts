/** Kinds that together use every merge rule of a schema. */
import type { JsonObject } from '#shared/domain/objects.ts';

const text: JsonObject = { type: 'string' };

const widgetSchema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        color: { ...text, default: 'red' },
        nothing: { ...text, nullable: true },
        either: { 'x-kubernetes-int-or-string': true },
        labels: { type: 'object', additionalProperties: text },
        selector: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { a: text, b: text },
        },
        place: {
          type: 'object',
          properties: { row: { type: 'integer' }, column: { type: 'integer' } },
        },
        args: { type: 'array', items: text },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: {
              port: { type: 'integer' },
              protocol: { ...text, default: 'TCP' },
              note: text,
              hosts: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
              more: { type: 'object', additionalProperties: text },
            },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        half: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { x: text } } },
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        count: { type: 'integer' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
        },
      },
    },
  },
};

const openSchema: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export interface MergedKind {
  /** A kind of both servers, unless there is a `version`: then the script defines it. */
  readonly kind: 'ConfigMap' | 'Job' | 'Pod' | 'Widget';
  /** The definition's own fields. */
  readonly version?: JsonObject;
}

export const widget: MergedKind = {
  kind: 'Widget',
  version: {
    schema: { openAPIV3Schema: widgetSchema },
    subresources: { status: {} },
  },
};
export const gadget: MergedKind = {
  kind: 'Widget',
  version: { schema: { openAPIV3Schema: openSchema } },
};
export const configMap: MergedKind = { kind: 'ConfigMap' };
export const job: MergedKind = { kind: 'Job' };
export const pod: MergedKind = { kind: 'Pod' };
