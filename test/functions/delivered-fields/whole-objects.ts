/** An object of each resource with every possible field, or without some of the optional ones. */
import type { TSchema } from 'typebox';
import { parse } from 'yaml';
import { kinds } from '#functions/list.ts';
import { membersOf } from '#shared/domain/json-value.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import {
  apiVersionOf,
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';

const time = '2026-01-05T10:00:00Z';

/** The keywords of a schema. Unions and records have more members. */
interface Keywords {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Keywords[];
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
  readonly additionalProperties?: Keywords | boolean;
  readonly items?: Keywords;
  readonly minimum?: number;
  readonly default?: unknown;
  readonly description?: string;
}

/** Whether an optional member is present. */
export type Keeps = () => boolean;

/** A value with members that the schema declares. Its description may have an example. */
function valueOf(schema: Keywords, name: string, keeps: Keeps): unknown {
  const { properties, items, anyOf, required = [] } = schema;
  if (fitting[name] !== undefined) return fitting[name];
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([member]) => required.includes(member) || keeps())
        .map(([member, of]) => [member, valueOf(of, member, keeps)]),
    );
  }
  const example = exampleIn(schema);
  if (items !== undefined) return [valueOf(items, name, keeps)];
  if (example !== undefined) return example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (anyOf?.[0] !== undefined) return valueOf(anyOf[0], name, keeps);
  const { additionalProperties: others, patternProperties: patterns } = schema;
  const [of] = patterns === undefined ? [others] : Object.values(patterns);
  if (typeof of === 'object') return { team: valueOf(of, 'team', keeps) };
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.default ?? Math.max(1, schema.minimum ?? 0);
    case 'boolean':
      return true;
    case 'string':
      return schema.default ?? (/Time$|^since$|^until$/.test(name) ? time : 'x');
    default:
      return {};
  }
}

function exampleIn({ description = '', type }: Keywords): unknown {
  const [, text] = /Example: (.+)$/s.exec(description) ?? [];
  if (text === undefined) return undefined;
  const example: unknown = parse(text);
  return type === undefined || typeof example === type || type === 'integer' ? example : undefined;
}

const ofContainers = {
  image: 'busybox',
  env: [
    { name: 'a', value: 'b' },
    { name: 'c', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
};
const podSpec = {
  priorityClassName: 'high',
  nodeSelector: { pool: 'a' },
  tolerations: [{ operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
          },
        ],
      },
    },
  },
  volumes: [{ name: 'data', emptyDir: {} }],
  containers: [{ ...ofContainers, name: 'main', resources: { requests: { cpu: '1' } } }],
  initContainers: [{ ...ofContainers, name: 'first', restartPolicy: 'Always' }],
};
const jobTemplate = {
  template: { metadata: { labels: { a: 'b' }, annotations: { a: 'b' } }, spec: podSpec },
};

const wrappedFlow = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' };
const podSets = [{ path: 'template.spec.template', replicas: 1, annotations: { a: 'b' } }];

const condition = (type: string) => ({
  type,
  status: 'True',
  reason: 'Because',
  message: 'because',
  lastTransitionTime: time,
});

/** Values by which objects name one another. */
const fitting: Readonly<Record<string, unknown>> = {
  template: jobTemplate.template,
  jobTemplateRef: 'a-jobtemplate',
  kinds: ['Job', 'JobFlow', 'DaemonJob', 'LocalQueue'],
  matchLabels: { team: 'a' },
  matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }],
  components: [
    { template: { ...wrappedFlow, metadata: { name: 'a-jobflow' }, spec: jobTemplate }, podSets },
  ],
  componentStatus: [
    {
      ...wrappedFlow,
      ...{ name: 'a-jobflow', podSets },
      conditions: [condition('ResourcesDeployed')],
    },
  ],
  lastResumed: [{ object: 'Job/default/a-job', resourceVersion: '7' }],
};

const container = {
  name: 'main',
  image: 'busybox',
  state: {
    waiting: { reason: 'ImagePullBackOff', message: 'because' },
    terminated: { exitCode: 1, signal: 9, reason: 'Error', message: 'because', finishedAt: time },
  },
};

/** Third-party kinds: all fields that any function has read so far, and more. */
const others: Readonly<Record<string, JsonObject>> = {
  Job: {
    spec: {
      suspend: true,
      completions: 2,
      parallelism: 2,
      backoffLimit: 1,
      ttlSecondsAfterFinished: 5,
      managedBy: 'kubernetes.io/job-controller',
      ...jobTemplate,
    },
    status: {
      active: 1,
      ready: 1,
      terminating: 1,
      succeeded: 1,
      failed: 1,
      startTime: time,
      completionTime: time,
      conditions: [condition('Suspended')],
    },
  },
  Pod: {
    spec: podSpec,
    status: {
      phase: 'Pending',
      reason: 'Evicted',
      message: 'because',
      startTime: time,
      conditions: [
        { ...condition('PodScheduled'), status: 'False', reason: 'Unschedulable' },
        condition('DisruptionTarget'),
      ],
      containerStatuses: [container],
      initContainerStatuses: [{ ...container, name: 'first' }],
    },
  },
  Node: {
    spec: { unschedulable: true, taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
    status: {
      conditions: [{ ...condition('Ready'), status: 'Unknown' }],
      nodeInfo: { operatingSystem: 'linux' },
    },
  },
  Namespace: { spec: {}, status: { phase: 'Active' } },
  PriorityClass: { value: 7, globalDefault: true, description: 'x' },
  LocalQueue: { spec: { stopPolicy: 'Hold', clusterQueue: 'x' }, status: { admittedWorkloads: 1 } },
  Workload: {
    spec: {
      active: false,
      queueName: 'main',
      priority: 7,
      maximumExecutionTimeSeconds: 60,
      podSets: [{ name: 'a', count: 1, template: jobTemplate.template }],
    },
    status: {
      conditions: ['QuotaReserved', 'Admitted', 'Evicted', 'Requeued', 'PodsReady', 'Finished'].map(
        condition,
      ),
      admission: {
        clusterQueue: 'x',
        podSetAssignments: [
          { name: 'a', count: 1, flavors: { cpu: 'a' }, topologyAssignment: { levels: ['a'] } },
        ],
      },
      admissionChecks: [
        { name: 'a', state: 'Pending', message: 'x', podSetUpdates: [{ name: 'a' }] },
      ],
      reclaimablePods: [{ name: 'a', count: 1 }],
      requeueState: { count: 1, requeueAt: time },
      accumulatedPastExecutionTimeSeconds: 1,
    },
  },
  ResourceFlavor: { spec: { nodeLabels: { a: 'b' }, tolerations: [{ operator: 'Exists' }] } },
  WorkloadPriorityClass: { value: 7 },
};

/** `owner`: the object that is decided about. The others belong to it or are governed by it. */
export function someObject(resource: Resource, keeps: Keeps, owner?: KubeObject): KubeObject {
  const definition = kinds.find((kind) => kind.resource.kind === resource.kind);
  const own = others[resource.kind];
  if (definition === undefined && own === undefined) {
    throw new Error(`whole-objects.ts lacks an object of the kind ${resource.kind}`);
  }
  const parts = definition === undefined ? partsOf(own ?? {}, keeps) : partsBy(definition, keeps);
  const name = resource.kind === 'Namespace' ? 'default' : `a-${resource.kind.toLowerCase()}`;
  const isGoing = keeps() && keeps() && keeps();
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      ...(resource.namespaced ? { namespace: 'default' } : {}),
      uid: asUid(`uid-of-${name}`),
      resourceVersion: asResourceVersion('7'),
      generation: 2,
      creationTimestamp: time,
      ...(isGoing ? { deletionTimestamp: time } : {}),
      labels: {
        ...some(
          {
            ...all(labels),
            team: 'a',
            'kueue.x-k8s.io/queue-name': 'main',
            'kueue.x-k8s.io/priority-class': 'a',
            'kueue.x-k8s.io/max-exec-time-seconds': '60',
          },
          keeps,
        ),
        [labels.ownerUid]: owner?.metadata.uid ?? '',
      },
      annotations: some(
        {
          ...all(annotations),
          ...all(wrapperAnnotations),
          ...legible,
          [annotations.suspendedBy]: `${owner?.metadata.uid ?? ''}/1/everything`,
        },
        keeps,
      ),
      finalizers: ['millrace.dev/suspend-schedule'],
      ...(owner === undefined ? {} : { ownerReferences: [ownerReference(owner)] }),
    },
    ...parts,
  };
}

export function ownedBy(object: KubeObject, owner: KubeObject): KubeObject {
  const metadata = { ...object.metadata, ownerReferences: [ownerReference(owner)] };
  return { ...object, metadata };
}

function some<Value>(value: Readonly<Record<string, Value>>, keeps: Keeps): Record<string, Value> {
  return membersOf(value, keeps);
}

/** Members other than spec and status are unchanged. */
function partsOf({ spec, status, ...rest }: JsonObject, keeps: Keeps) {
  return {
    ...rest,
    ...(spec === undefined ? {} : { spec: some(spec as JsonObject, keeps) }),
    ...(status === undefined || !keeps() ? {} : { status: some(status as JsonObject, keeps) }),
  };
}

/** Fields that are parsed as JSON or in another format. */
const legible = {
  [annotations.held]: JSON.stringify({
    policy: 'SuspendPolicy/default/nights',
    reason: 'WindowClosed',
    since: time,
  }),
  [annotations.suspendOverride]: 'Hold',
  [annotations.placed]: '{}',
  [annotations.ttlSecondsAfterFinished]: '5',
  [annotations.submitter]: '{"username":"kim"}',
};

function all(keys: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.values(keys).map((key) => [key, '1']));
}

function ownerReference({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
}

function partsBy(
  { spec, status }: { readonly spec: TSchema; readonly status?: TSchema },
  keeps: Keeps,
) {
  const hasStatus = status !== undefined && keeps();
  return {
    spec: valueOf(spec, 'spec', keeps) as JsonObject,
    ...(hasStatus ? { status: valueOf(status, 'status', keeps) } : {}),
  };
}
