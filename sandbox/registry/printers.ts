/** The printer of each built-in kind, with the simpler ones. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { eventPrinter } from './event-printer.ts';
import { jobPrinter } from './job-printer.ts';
import { nodePrinter } from './node-printer.ts';
import { podPrinter } from './pod-printer.ts';
import { columns, createdAgo, labelText, none, type Printer } from './printer.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields;
const textOf = (value: unknown, absent = ''): string =>
  typeof value === 'string' ? value : absent;
const sizeOf = (value: unknown): number => Object.keys(fieldsOf(value)).length;
const top = (object: KubeObject): Fields => object as unknown as Fields;

/** A column of numbers. The API server declares all other cells as strings, whatever they are. */
const numberColumn = (name: string): Printer['columns'][number] => ({
  name,
  type: 'integer',
  priority: 0,
});

const named = (...rest: readonly string[]): Printer['columns'] => columns('Name', ...rest);

const namespaces: Printer = {
  columns: named('Status', 'Age'),
  row: (object, nowMs) => [
    object.metadata.name,
    textOf(fieldsOf(object.status)['phase']),
    createdAgo(object, nowMs),
  ],
};

const configMaps: Printer = {
  columns: named('Data', 'Age'),
  row: (object, nowMs) => [
    object.metadata.name,
    sizeOf(top(object)['data']) + sizeOf(top(object)['binaryData']),
    createdAgo(object, nowMs),
  ],
};

const secrets: Printer = {
  columns: named('Type', 'Data', 'Age'),
  row: (object, nowMs) => [
    object.metadata.name,
    textOf(top(object)['type']),
    sizeOf(top(object)['data']),
    createdAgo(object, nowMs),
  ],
};

const serviceAccounts: Printer = {
  columns: named('Age'),
  row: (object, nowMs) => [object.metadata.name, createdAgo(object, nowMs)],
};

interface ServicePort {
  readonly port: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}

const services: Printer = {
  columns: named('Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', '=Selector'),
  row: (object, nowMs) => {
    const spec = fieldsOf(object.spec);
    const ports = ((spec['ports'] ?? []) as readonly ServicePort[]).map(
      ({ port, nodePort, protocol = 'TCP' }) =>
        `${port}${nodePort === undefined ? '' : `:${nodePort}`}/${protocol}`,
    );
    return [
      object.metadata.name,
      textOf(spec['type']),
      textOf(spec['clusterIP'], none),
      textOf(spec['externalName'], none),
      ports.length === 0 ? none : ports.join(','),
      createdAgo(object, nowMs),
      labelText(spec['selector'] as Readonly<Record<string, string>> | undefined),
    ];
  },
};

const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const claims: Printer = {
  columns: named(
    'Status',
    'Volume',
    'Capacity',
    'Access Modes',
    'StorageClass',
    'VolumeAttributesClass',
    'Age',
    '=VolumeMode',
  ),
  row: (object, nowMs) => {
    const [spec, status] = [fieldsOf(object.spec), fieldsOf(object.status)];
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    const isBound = textOf(spec['volumeName']) !== '';
    const modes = (status['accessModes'] ?? []) as readonly string[];
    return [
      object.metadata.name,
      isTerminating ? 'Terminating' : textOf(status['phase']),
      textOf(spec['volumeName']),
      isBound ? textOf(fieldsOf(status['capacity'])['storage']) : '',
      isBound ? modes.map((mode) => accessModes[mode] ?? mode).join(',') : '',
      textOf(spec['storageClassName']),
      textOf(spec['volumeAttributesClassName'], '<unset>'),
      createdAgo(object, nowMs),
      textOf(spec['volumeMode'], '<unset>'),
    ];
  },
};

const leases: Printer = {
  columns: named('Holder', 'Age'),
  row: (object, nowMs) => [
    object.metadata.name,
    textOf(fieldsOf(object.spec)['holderIdentity']),
    createdAgo(object, nowMs),
  ],
};

const priorityClasses: Printer = {
  columns: [
    ...named(),
    numberColumn('Value'),
    { name: 'Global-Default', type: 'boolean', priority: 0 },
    ...columns('Age', 'PreemptionPolicy'),
  ],
  row: (object, nowMs) => [
    object.metadata.name,
    (top(object)['value'] as number | undefined) ?? 0,
    top(object)['globalDefault'] === true,
    createdAgo(object, nowMs),
    textOf(top(object)['preemptionPolicy']),
  ],
};

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

const bindings: Printer = {
  columns: named('Role', 'Age', '=Users', '=Groups', '=ServiceAccounts'),
  row: (object, nowMs) => {
    const role = fieldsOf(top(object)['roleRef']);
    const subjects = (top(object)['subjects'] ?? []) as readonly Subject[];
    const names = (wanted: string): string =>
      subjects
        .filter(({ kind }) => kind === wanted)
        .map(({ name, namespace }) => (namespace === undefined ? name : `${namespace}/${name}`))
        .join(', ');
    return [
      object.metadata.name,
      `${textOf(role['kind'])}/${textOf(role['name'])}`,
      createdAgo(object, nowMs),
      names('User'),
      names('Group'),
      names('ServiceAccount'),
    ];
  },
};

const webhooks: Printer = {
  columns: [...named(), numberColumn('Webhooks'), ...columns('Age')],
  row: (object, nowMs) => [
    object.metadata.name,
    ((top(object)['webhooks'] ?? []) as readonly unknown[]).length,
    createdAgo(object, nowMs),
  ],
};

const unset = '<unset>';

const policies: Printer = {
  columns: [...named(), numberColumn('Validations'), ...columns('ParamKind', 'Age')],
  row: (object, nowMs) => {
    const { validations = [] } = (top(object)['spec'] ?? {}) as {
      validations?: readonly unknown[];
    };
    return [object.metadata.name, validations.length, unset, createdAgo(object, nowMs)];
  },
};

const policyBindings: Printer = {
  columns: [...named(), ...columns('PolicyName', 'ParamRef', 'Age')],
  row: (object, nowMs) => {
    const { policyName = '' } = (top(object)['spec'] ?? {}) as { policyName?: string };
    return [object.metadata.name, policyName, unset, createdAgo(object, nowMs)];
  },
};

/** By group and plural. */
export const printers: Readonly<Record<string, Printer>> = {
  '/namespaces': namespaces,
  '/nodes': nodePrinter,
  '/pods': podPrinter,
  '/configmaps': configMaps,
  '/secrets': secrets,
  '/services': services,
  '/serviceaccounts': serviceAccounts,
  '/persistentvolumeclaims': claims,
  '/events': eventPrinter,
  'events.k8s.io/events': eventPrinter,
  'batch/jobs': jobPrinter,
  'coordination.k8s.io/leases': leases,
  'scheduling.k8s.io/priorityclasses': priorityClasses,
  'rbac.authorization.k8s.io/rolebindings': bindings,
  'rbac.authorization.k8s.io/clusterrolebindings': bindings,
  'admissionregistration.k8s.io/validatingadmissionpolicies': policies,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': policyBindings,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
};
