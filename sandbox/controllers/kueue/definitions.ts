/**
 * The kinds of Kueue that a sandbox with `--kueue` serves. Names, columns and defaults are those of Kueue's definitions
 * (config/components/crd/bases of v0.19). The schemas have the part that a job's controller or a user of a demo needs.
 */
import type { JsonObject } from '#shared/domain/objects.ts';

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const text = { type: 'string' } as const;

const conditions = {
  type: 'array',
  items: open,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
} as const;
const listMap = (item: JsonObject): JsonObject => ({
  type: 'array',
  items: { ...open, required: ['name'], ...item },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
});
const keyed = (properties: JsonObject = {}): JsonObject =>
  listMap({ properties: { name: text, ...properties } });
const conditioned = { ...open, properties: { conditions: keyedByType() } } as const;

function keyedByType(): JsonObject {
  // Rules see only declared fields.
  const properties = { type: text, status: text };
  return { ...conditions, items: { ...open, required: ['type'], properties } };
}

const stopPolicy = {
  type: 'string',
  enum: ['None', 'Hold', 'HoldAndDrain'],
  default: 'None',
} as const;
const priorityOf = (name: string): JsonObject => ({
  ...open,
  properties: { [name]: { type: 'string', default: 'Never' } },
});

const holdsQuota =
  "has(oldSelf.status) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True')";

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly hasStatus: boolean;
  readonly columns?: readonly (readonly [name: string, type: string, path: string])[];
  readonly schema: JsonObject;
}

const kinds: readonly Kind[] = [
  {
    kind: 'Workload',
    plural: 'workloads',
    shortNames: ['kwl', 'kueueworkload', 'kueueworkloads'],
    scope: 'Namespaced',
    hasStatus: true,
    columns: [
      ['Queue', 'string', '.spec.queueName'],
      ['Reserved in', 'string', '.status.admission.clusterQueue'],
      ['Admitted', 'string', ".status.conditions[?(@.type=='Admitted')].status"],
      ['Finished', 'string', ".status.conditions[?(@.type=='Finished')].status"],
      ['Age', 'date', '.metadata.creationTimestamp'],
    ],
    schema: {
      properties: {
        spec: {
          ...open,
          properties: {
            active: { type: 'boolean', default: true },
            queueName: { type: 'string', maxLength: 253 },
            priority: { type: 'integer' },
            podSets: {
              ...keyed({ count: { type: 'integer', minimum: 0, default: 1 }, template: open }),
              minItems: 1,
              maxItems: 18,
            },
          },
        },
        status: {
          ...open,
          properties: {
            conditions: keyedByType(),
            admissionChecks: keyed(),
            reclaimablePods: keyed(),
          },
        },
      },
      'x-kubernetes-validations': [
        {
          rule: `!(${holdsQuota}) || (has(self.spec.queueName) ? self.spec.queueName : '') == (has(oldSelf.spec.queueName) ? oldSelf.spec.queueName : '')`,
          message: 'queueName is immutable while workload quota reserved',
        },
        {
          rule: `!(${holdsQuota}) || self.spec.podSets == oldSelf.spec.podSets`,
          message: 'field is immutable',
          fieldPath: '.spec',
        },
      ],
    },
  },
  {
    kind: 'LocalQueue',
    plural: 'localqueues',
    shortNames: ['queue', 'queues', 'lq'],
    scope: 'Namespaced',
    hasStatus: true,
    columns: [
      ['ClusterQueue', 'string', '.spec.clusterQueue'],
      ['Pending Workloads', 'integer', '.status.pendingWorkloads'],
      ['Admitted Workloads', 'integer', '.status.admittedWorkloads'],
    ],
    schema: {
      properties: {
        spec: { ...open, properties: { clusterQueue: text, stopPolicy } },
        status: conditioned,
      },
    },
  },
  {
    kind: 'ClusterQueue',
    plural: 'clusterqueues',
    shortNames: ['cq'],
    scope: 'Cluster',
    hasStatus: true,
    columns: [
      ['Cohort', 'string', '.spec.cohortName'],
      ['Pending Workloads', 'integer', '.status.pendingWorkloads'],
    ],
    schema: {
      properties: {
        spec: {
          ...open,
          properties: {
            queueingStrategy: {
              type: 'string',
              enum: ['StrictFIFO', 'BestEffortFIFO'],
              default: 'BestEffortFIFO',
            },
            preemption: { ...priorityOf('withinClusterQueue'), default: {} },
            stopPolicy,
          },
        },
        status: conditioned,
      },
    },
  },
  {
    kind: 'ResourceFlavor',
    plural: 'resourceflavors',
    shortNames: ['flavor', 'flavors', 'rf'],
    scope: 'Cluster',
    hasStatus: false,
    schema: { properties: { spec: open } },
  },
  {
    kind: 'WorkloadPriorityClass',
    plural: 'workloadpriorityclasses',
    shortNames: ['wpc'],
    scope: 'Cluster',
    hasStatus: false,
    columns: [['Value', 'integer', '.value']],
    schema: {
      required: ['value'],
      properties: { value: { type: 'integer' }, description: text },
    },
  },
  {
    kind: 'AdmissionCheck',
    plural: 'admissionchecks',
    shortNames: ['ac'],
    scope: 'Cluster',
    hasStatus: true,
    schema: { properties: { spec: open, status: conditioned } },
  },
];

export const kueueGroup = 'kueue.x-k8s.io';
export const kueueVersion = 'v1beta2';

/** CustomResourceDefinitions, to be applied before all other objects of Kueue. */
export const kueueDefinitions: readonly JsonObject[] = kinds.map(
  ({ kind, plural, shortNames, scope, hasStatus, columns = [], schema }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${kueueGroup}` },
    spec: {
      group: kueueGroup,
      names: { kind, plural, shortNames, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope,
      versions: [
        {
          name: kueueVersion,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', ...schema } },
          additionalPrinterColumns: columns.map(([name, type, jsonPath]) => ({
            name,
            type,
            jsonPath,
          })),
          ...(hasStatus ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  }),
);
