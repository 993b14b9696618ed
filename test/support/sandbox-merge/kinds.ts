/** Kinds that show every way in which a schema says how to merge. */
import { builtinSchema, type Schema } from '#sandbox/testing';
import type { Kind } from './replay.ts';

const text: Schema = { type: 'string' };

const widgetSchema: Schema = {
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

const openSchema: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const group = 'merge.test.millrace.dev';

const definition = (kind: string, schema: Schema, hasStatus: boolean) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { kind, plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        ...(hasStatus ? { subresources: { status: {} } } : {}),
      },
    ],
  },
});

export const definitions = [
  definition('Widget', widgetSchema, true),
  definition('Gadget', openSchema, false),
];

const custom = (kind: string, schema: Schema, hasStatus: boolean): Kind => ({
  apiVersion: `${group}/v1`,
  kind,
  path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
  schema,
  hasStatus,
});

export const widget = custom('Widget', widgetSchema, true);
export const gadget = custom('Gadget', openSchema, false);

export const configMap: Kind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
  schema: builtinSchema('', 'v1', 'ConfigMap'),
};

export const job: Kind = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  path: '/apis/batch/v1/namespaces/default/jobs',
  schema: builtinSchema('batch', 'v1', 'Job'),
};

export const pod: Kind = {
  apiVersion: 'v1',
  kind: 'Pod',
  path: '/api/v1/namespaces/default/pods',
  schema: builtinSchema('', 'v1', 'Pod'),
  added: [
    'serviceAccount',
    'serviceAccountName',
    'tolerations',
    'priority',
    'preemptionPolicy',
  ].map((field) => ['spec', field]),
};
