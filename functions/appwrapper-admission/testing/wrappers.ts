/** AppWrappers and their components as users write them, for the tests of admission. */
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';

export const podTemplate = {
  spec: {
    containers: [
      {
        ...{ name: 'main', image: 'busybox:1.28', command: ['sleep', '5'] },
        resources: { requests: { cpu: '100m' } },
      },
    ],
  },
};

export function wrapper(components: readonly JsonObject[], metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'workload.codeflare.dev/v1beta2',
    kind: 'AppWrapper',
    metadata: { name: 'sample', ...metadata },
    spec: { components: components.map(named) },
  };
}

/** Each template without a name gets its own. */
function named(component: JsonObject, index: number): JsonObject {
  const template = fieldsOf(component['template']);
  const metadata = { name: `wrapped-${index}`, ...fieldsOf(template['metadata']) };
  return { ...component, template: { ...template, metadata } };
}

interface Wrapped {
  readonly podSets?: readonly JsonObject[];
  readonly metadata?: JsonObject;
}

function component(
  [apiVersion, kind]: readonly [string, string],
  content: JsonObject,
  { podSets, metadata = {} }: Wrapped,
): JsonObject {
  const template = { apiVersion, kind, metadata, ...content };
  return { ...(podSets === undefined ? {} : { podSets }), template };
}

export const pod = (wrapped: Wrapped = {}) => component(['v1', 'Pod'], podTemplate, wrapped);
export const service = (wrapped: Wrapped = {}) =>
  component(['v1', 'Service'], { spec: { ports: [{ port: 80 }] } }, wrapped);
export const deployment = (replicas: number, wrapped: Wrapped = {}) =>
  component(
    ['apps/v1', 'Deployment'],
    {
      spec: {
        replicas,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, ...podTemplate },
      },
    },
    wrapped,
  );
export const job = (spec: JsonObject = {}, wrapped: Wrapped = {}) =>
  component(['batch/v1', 'Job'], { spec: { template: podTemplate, ...spec } }, wrapped);
export const jobSet = (wrapped: Wrapped = {}) =>
  component(
    ['jobset.x-k8s.io/v1alpha2', 'JobSet'],
    {
      spec: {
        replicatedJobs: ['a', 'b'].map((name) => ({
          ...{ name, replicas: 2 },
          template: { spec: { template: podTemplate } },
        })),
      },
    },
    wrapped,
  );
const cluster = {
  headGroupSpec: { template: podTemplate },
  workerGroupSpecs: [{ groupName: 'a', replicas: 2, template: podTemplate }],
};
export const rayCluster = (spec: JsonObject = {}) =>
  component(['ray.io/v1', 'RayCluster'], { spec: { ...cluster, ...spec } }, {});
export const rayJob = () =>
  component(['ray.io/v1', 'RayJob'], { spec: { rayClusterSpec: cluster } }, {});
export const pytorchJob = () =>
  component(
    ['kubeflow.org/v1', 'PyTorchJob'],
    {
      spec: {
        pytorchReplicaSpecs: {
          Master: { replicas: 1, template: podTemplate },
          Worker: { replicas: 4, template: podTemplate },
        },
      },
    },
    {},
  );
/** Upstream's sample declares three workers, although there are four. */
export const leaderWorkerSet = (podSets: readonly JsonObject[]) =>
  component(
    ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet'],
    {
      spec: {
        replicas: 2,
        leaderWorkerTemplate: {
          ...{ size: 3, leaderTemplate: podTemplate, workerTemplate: podTemplate },
        },
      },
    },
    { podSets },
  );

export const inDeployment = 'template.spec.template';
export const inJobSet = (index: number) =>
  `template.spec.replicatedJobs[${index}].template.spec.template`;

/** Wrong paths of a JobSet's podSet, with a part of the message about each. */
export const wrongPaths: readonly (readonly [path: string, words: string])[] = [
  ['template.spec.replicatedJobs.template.spec.template', 'non-map value'],
  ['template.spec.replicatedJobs', 'non-map value'],
  ['template.spec.replicatedJobs[0].template[0].spec.template', 'found non-array value'],
  ['template.spec.replicatedJobs[10].template.spec.template', "out of bounds index '10'"],
  ['template.spec.replicatedJobs[-1].template.spec.template', "out of bounds index '-1'"],
  ['template.spec.replicatedJobs[a10].template.spec.template', "invalid index expression 'a10'"],
  ['template.spec.replicatedJobs[1', "invalid array index '[1'"],
  ['template.spec.replicatedJobs[1]].template.spec.template', 'invalid path element'],
];
