/** The definition equals that of the original controller, v1.2.2, except for descriptions. */
import { expect, it } from 'vitest';
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { appWrapperKind } from './app-wrapper.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

const { spec } = customResourceDefinition(appWrapperKind) as { spec: JsonObject };
const [version] = spec['versions'] as readonly JsonObject[];

it('an AppWrapper is served under the names of the original', () => {
  expect(spec).toMatchObject({
    group: 'workload.codeflare.dev',
    scope: 'Namespaced',
    names: {
      kind: 'AppWrapper',
      listKind: 'AppWrapperList',
      plural: 'appwrappers',
      singular: 'appwrapper',
      shortNames: ['aw'],
    },
  });
  expect(version).toMatchObject({ name: 'v1beta2', served: true, storage: true });
  expect(version).toMatchObject({ subresources: { status: {} } });
});

interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
}

it('kubectl prints the columns of the original', () => {
  const columns = version?.['additionalPrinterColumns'] as unknown as readonly Column[];
  expect(columns.map(({ name, type, jsonPath }) => `${name} ${type} ${jsonPath}`)).toEqual([
    'Status string .status.phase',
    'Quota Reserved string .status.conditions[?(@.type=="QuotaReserved")].status',
    'Resources Deployed string .status.conditions[?(@.type=="ResourcesDeployed")].status',
    'Unhealthy string .status.conditions[?(@.type=="Unhealthy")].status',
    'Age date .metadata.creationTimestamp',
  ]);
});

it('an AppWrapper has the fields of the original, and no bound that the original lacks', () => {
  const { openAPIV3Schema } = version?.['schema'] as { openAPIV3Schema: JsonObject };
  const { spec: specSchema, status } = openAPIV3Schema['properties'] as Record<string, JsonObject>;
  expect([...outline('spec', specSchema!), ...outline('status', status!)]).toEqual([
    'spec: object (required: components)',
    'spec.components: array (list-type: atomic)',
    'spec.components[]: object (required: template)',
    'spec.components[].template: object (embedded-resource: true, preserve-unknown-fields: true)',
    'spec.components[].podSets: array (list-type: atomic)',
    ...podSet('spec.components[].podSets[]'),
    'spec.components[].podSetInfos: array (list-type: atomic)',
    'spec.components[].podSetInfos[]: object',
    ...['annotations', 'labels', 'nodeSelector'].flatMap((name) => [
      `spec.components[].podSetInfos[].${name}: object`,
      `spec.components[].podSetInfos[].${name}.*: string`,
    ]),
    'spec.components[].podSetInfos[].tolerations: array (list-type: atomic)',
    'spec.components[].podSetInfos[].tolerations[]: object',
    ...['key', 'operator', 'value', 'effect'].map(
      (name) => `spec.components[].podSetInfos[].tolerations[].${name}: string`,
    ),
    'spec.components[].podSetInfos[].tolerations[].tolerationSeconds: integer (format: int64)',
    'spec.components[].podSetInfos[].schedulingGates: array (list-type: atomic)',
    'spec.components[].podSetInfos[].schedulingGates[]: object (required: name)',
    'spec.components[].podSetInfos[].schedulingGates[].name: string',
    'spec.components[].annotations: object',
    'spec.components[].annotations.*: string',
    'spec.suspend: boolean',
    'spec.managedBy: string',
    'status: object',
    'status.phase: string',
    'status.resettingCount: integer (format: int32)',
    ...conditions('status.conditions'),
    'status.componentStatus: array (list-type: atomic)',
    'status.componentStatus[]: object (required: name,kind,apiVersion,podSets)',
    'status.componentStatus[].name: string',
    'status.componentStatus[].kind: string',
    'status.componentStatus[].apiVersion: string',
    'status.componentStatus[].podSets: array (list-type: atomic)',
    ...podSet('status.componentStatus[].podSets[]'),
    ...conditions('status.componentStatus[].conditions'),
  ]);
});

const podSet = (path: string) => [
  `${path}: object (required: path)`,
  `${path}.path: string`,
  `${path}.replicas: integer (format: int32)`,
  `${path}.annotations: object`,
  `${path}.annotations.*: string`,
];

/** As metav1 Condition. */
const conditions = (path: string) => [
  `${path}: array (list-type: map, list-map-keys: type)`,
  `${path}[]: object (required: type,status,reason,message,lastTransitionTime)`,
  `${path}[].type: string (minLength: 1, maxLength: 316)`,
  `${path}[].status: string (enum: True,False,Unknown)`,
  `${path}[].reason: string (minLength: 1, maxLength: 1024, pattern: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$)`,
  `${path}[].message: string (maxLength: 32768)`,
  `${path}[].lastTransitionTime: string (format: date-time)`,
  `${path}[].observedGeneration: integer (format: int64, minimum: 0)`,
];

function textOf(value: Json = 'undefined'): string {
  if (Array.isArray(value)) return value.map(textOf).join();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const structural = ['type', 'description', 'properties', 'items', 'additionalProperties'];

/** One line for each field: its type, and every other keyword that the API server enforces. */
function outline(path: string, schema: JsonObject): readonly string[] {
  const keywords = Object.entries(schema)
    .filter(([name]) => !structural.includes(name))
    .map(([name, value]) => `${name.replace('x-kubernetes-', '')}: ${textOf(value)}`);
  const { properties, items, additionalProperties: values } = schema;
  return [
    `${path}: ${textOf(schema['type'])}${keywords.length === 0 ? '' : ` (${keywords.join(', ')})`}`,
    ...(isObject(properties)
      ? Object.entries(properties).flatMap(([name, of]) => below(`${path}.${name}`, of))
      : []),
    ...below(`${path}[]`, items),
    ...below(`${path}.*`, values),
  ];
}

function below(path: string, schema: Json | undefined): readonly string[] {
  return isObject(schema) ? outline(path, schema) : [];
}
