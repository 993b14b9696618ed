/**
 * The built-in kinds that the sandbox serves. Requests for any other kind are answered with not
 * found.
 */
import type { Resource } from '#shared/domain/objects.ts';
import { builtinSchema } from './builtin-schemas.ts';
import { toCoreEvent, toNewEvent } from './event-conversion.ts';
import type { ResourceType } from './resource-type.ts';
import { defaultPrinter, type Printer } from './printer.ts';
import { printers } from './printers.ts';
import { storedAsIs, type Registration } from './type-registry.ts';

interface Definition {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: ResourceType['subresources'];
  readonly selectableFields?: readonly string[];
  readonly hasGeneration?: boolean;
}

interface Group {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly Definition[];
}

const eventFields = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];

const groups: readonly Group[] = [
  {
    group: '',
    version: 'v1',
    kinds: [
      { plural: 'configmaps', kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] },
      {
        plural: 'events',
        kind: 'Event',
        namespaced: true,
        shortNames: ['ev'],
        selectableFields: eventFields,
      },
      { plural: 'limitranges', kind: 'LimitRange', namespaced: true, shortNames: ['limits'] },
      {
        plural: 'namespaces',
        kind: 'Namespace',
        namespaced: false,
        shortNames: ['ns'],
        subresources: ['status'],
        selectableFields: ['status.phase'],
      },
      {
        plural: 'nodes',
        kind: 'Node',
        namespaced: false,
        shortNames: ['no'],
        subresources: ['status'],
        selectableFields: ['spec.unschedulable'],
      },
      {
        plural: 'persistentvolumeclaims',
        kind: 'PersistentVolumeClaim',
        namespaced: true,
        shortNames: ['pvc'],
        subresources: ['status'],
      },
      {
        plural: 'pods',
        kind: 'Pod',
        namespaced: true,
        shortNames: ['po'],
        categories: ['all'],
        subresources: ['status', 'log', 'binding', 'eviction'],
        selectableFields: [
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'spec.hostNetwork',
          'status.phase',
          'status.podIP',
          'status.nominatedNodeName',
        ],
        hasGeneration: true,
      },
      {
        plural: 'resourcequotas',
        kind: 'ResourceQuota',
        namespaced: true,
        shortNames: ['quota'],
        subresources: ['status'],
      },
      {
        plural: 'secrets',
        kind: 'Secret',
        namespaced: true,
        selectableFields: ['type'],
      },
      { plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true, shortNames: ['sa'] },
      {
        plural: 'services',
        kind: 'Service',
        namespaced: true,
        shortNames: ['svc'],
        categories: ['all'],
        subresources: ['status'],
        selectableFields: ['spec.clusterIP', 'spec.type'],
      },
    ],
  },
  {
    group: 'batch',
    version: 'v1',
    kinds: [
      {
        plural: 'jobs',
        kind: 'Job',
        namespaced: true,
        categories: ['all'],
        subresources: ['status'],
        selectableFields: ['status.successful'],
        hasGeneration: true,
      },
    ],
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    kinds: [{ plural: 'leases', kind: 'Lease', namespaced: true }],
  },
  {
    group: 'events.k8s.io',
    version: 'v1',
    kinds: [
      {
        plural: 'events',
        kind: 'Event',
        namespaced: true,
        shortNames: ['ev'],
        selectableFields: [
          ...eventFields.filter((field) => !field.startsWith('involvedObject.')),
          'reportingController',
          'regarding.kind',
          'regarding.namespace',
          'regarding.name',
          'regarding.uid',
        ],
      },
    ],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    kinds: [
      {
        plural: 'priorityclasses',
        kind: 'PriorityClass',
        namespaced: false,
        shortNames: ['pc'],
        hasGeneration: true,
      },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kinds: [
      { plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
      { plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
      { plural: 'rolebindings', kind: 'RoleBinding', namespaced: true },
      { plural: 'roles', kind: 'Role', namespaced: true },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kinds: [
      {
        plural: 'mutatingwebhookconfigurations',
        kind: 'MutatingWebhookConfiguration',
        namespaced: false,
        categories: ['api-extensions'],
        hasGeneration: true,
      },
      {
        plural: 'validatingadmissionpolicies',
        kind: 'ValidatingAdmissionPolicy',
        namespaced: false,
        categories: ['api-extensions'],
        subresources: ['status'],
        hasGeneration: true,
      },
      {
        plural: 'validatingadmissionpolicybindings',
        kind: 'ValidatingAdmissionPolicyBinding',
        namespaced: false,
        categories: ['api-extensions'],
        hasGeneration: true,
      },
      {
        plural: 'validatingwebhookconfigurations',
        kind: 'ValidatingWebhookConfiguration',
        namespaced: false,
        categories: ['api-extensions'],
        hasGeneration: true,
      },
    ],
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kinds: [
      {
        plural: 'customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        namespaced: false,
        shortNames: ['crd', 'crds'],
        categories: ['api-extensions'],
        subresources: ['status'],
        hasGeneration: true,
      },
    ],
  },
];

/** In the order of discovery. Always the same objects. */
export function builtInTypes(): readonly Registration[] {
  return registrations;
}

const types: readonly ResourceType[] = groups.flatMap(({ group, version, kinds }) =>
  kinds.map((definition) => typeOf({ group, version, ...definition })),
);

function typeOf(definition: Definition & Pick<Resource, 'group' | 'version'>): ResourceType {
  const { group, version, plural, kind, namespaced } = definition;
  const { columns, row }: Printer = printers[`${group}/${plural}`] ?? defaultPrinter;
  const schema = builtinSchema(group, version, kind);
  return {
    group,
    version,
    plural,
    kind,
    namespaced,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    subresources: definition.subresources ?? [],
    ...(schema === undefined ? {} : { schema }),
    columns,
    row,
    selectableFields: definition.selectableFields ?? [],
    hasGeneration: definition.hasGeneration ?? false,
    isBuiltIn: true,
  };
}

const coreEvent = types.find(({ group, plural }) => group === '' && plural === 'events');

const registrations: readonly Registration[] = types.map((type) => {
  if (type.plural !== 'events' || coreEvent === undefined) return storedAsIs(type);
  const fromStored = type.group === '' ? <T>(object: T): T => object : toNewEvent;
  return { type, storage: { type: coreEvent, toStored: toCoreEvent, fromStored } };
});
