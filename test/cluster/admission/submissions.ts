/** Submissions, and kubectl's output for them with the webhooks on. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { PodRule } from '#shared/policy/pod-rule.ts';
import { podRules } from '#shared/policy/pod-rules.ts';

export interface Submission {
  readonly submitted: string;
  readonly manifest: JsonObject;
  /** kubectl's output besides `created`, word for word. Refusals lack the preamble of their first line. */
  readonly warnings?: readonly string[];
  /** Absent: the object is created. */
  readonly refused?: { readonly reason: 'Forbidden' | 'Invalid'; readonly message: string };
}

const container = { name: 'main', image: 'busybox:1.28' };
const pod = (fields: JsonObject = {}): JsonObject => ({ containers: [container], ...fields });
const job = (fields: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  ...more,
  template: { spec: pod(fields) },
});
const inContainer = (fields: JsonObject): JsonObject =>
  job({ containers: [{ ...container, ...fields }] });
const secured = (securityContext: JsonObject): JsonObject => inContainer({ securityContext });
const step = (name: string, fields: JsonObject = {}): JsonObject => ({
  name,
  jobTemplate: job(),
  ...fields,
});

function flow(name: string, flows: readonly JsonObject[], spec: JsonObject = {}): JsonObject {
  const apiVersion = 'api.practice.com/v1alpha1';
  return { apiVersion, kind: 'JobFlow', metadata: { name }, spec: { ...spec, flows } };
}

const one = (name: string, jobTemplate: JsonObject, spec: JsonObject = {}): JsonObject =>
  flow(name, [{ name: 'a', jobTemplate }], spec);

function template(name: string, jobTemplate: JsonObject): JsonObject {
  const apiVersion = 'api.practice.com/v1alpha1';
  return { apiVersion, kind: 'JobTemplate', metadata: { name }, spec: { jobTemplate } };
}

function daemonJob(name: string, spec: JsonObject): JsonObject {
  const apiVersion = 'api.practice.com/v1alpha1';
  return { apiVersion, kind: 'DaemonJob', metadata: { name }, spec };
}

const created = (submitted: string, manifest: JsonObject, ...warnings: string[]): Submission => ({
  ...{ submitted, manifest },
  ...(warnings.length === 0 ? {} : { warnings }),
});

const invalid = (submitted: string, manifest: JsonObject, message: string): Submission => ({
  ...{ submitted, manifest, refused: { reason: 'Invalid', message } },
});

/** Rules that are controls of the Pod Security Standards name the profile. */
const profileOf = (rule: string) =>
  podRules.some(({ name, since }: PodRule) => name === rule && since !== undefined)
    ? ', profile baseline'
    : '';

/** `message`: for step a, before the name of the rule. */
const byPolicy = (name: string, jobTemplate: JsonObject, rule: string, message: string) => ({
  submitted: `what the policy ${rule} is about: ${name}`,
  manifest: one(name, jobTemplate),
  refused: {
    reason: 'Forbidden',
    message: `step "a": ${message} (policy ${rule}${profileOf(rule)})`,
  } as const,
});

const good: readonly Submission[] = [
  created('a flow of two steps', flow('two', [step('a'), step('b', { dependencies: ['a'] })])),
  created('a template', template('shared', job())),
  created(
    'a flow of that template',
    flow('of-template', [{ name: 'a', jobTemplateRef: 'shared' }]),
  ),
  created('a flow on a node', one('on-a-node', job(), { globalParams: { nodeName: 'minikube' } })),
  created(
    'a flow with a volume for all',
    flow('volumes', [step('a'), step('b')], {
      shareVolumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      shareVolumeMounts: [{ name: 'data', mountPath: '/data' }],
    }),
  ),
  created('an Indexed Job', one('indexed', job({}, { completionMode: 'Indexed', completions: 3 }))),
  created('a suspended flow', one('suspended', job(), { suspend: true })),
  created('a restricted Pod', one('restricted', secured({ runAsNonRoot: true, runAsUser: 1000 }))),
  created(
    'a toleration of one taint',
    one('tolerant', job({ tolerations: [{ key: 'gpu', operator: 'Exists' }] })),
  ),
];

const warned: readonly Submission[] = [
  created(
    'a template that is not there yet',
    flow('early', [{ name: 'a', jobTemplateRef: 'later' }]),
    'there is no JobTemplate "later" in the namespace NAMESPACE yet',
  ),
  created(
    'a node that is not there',
    one('nowhere', job(), { globalParams: { nodeName: 'nowhere' } }),
    'there is no node "nowhere": no Pod that is bound to it will run',
  ),
  created(
    'a restartPolicy that does not count',
    one('restarting', job({ restartPolicy: 'OnFailure' })),
    'step "a": restartPolicy OnFailure becomes Never: what fails is replaced (backoffLimit), not restarted',
  ),
  created(
    'retries of two kinds',
    flow('retries', [
      { name: 'a', retryPolicy: { limit: 2 }, jobTemplate: job({}, { backoffLimit: 3 }) },
    ]),
    'step "a": retryPolicy and backoffLimit multiply, to 12 Pods in all',
  ),
  created(
    'a command in one word',
    one('one-word', inContainer({ command: ['sleep 5'] })),
    'step "a": container "main" runs a program called "sleep 5"; for words write ["sleep","5"]',
  ),
  created(
    'a Job that stays suspended',
    one('asleep', job({}, { suspend: true })),
    'step "a": its Job is created suspended, and Millrace does not resume it',
  ),
  created(
    'a flow that vanishes with its result',
    one('vanishing', job(), { ttlSecondsAfterFinished: 0 }),
    'spec.ttlSecondsAfterFinished is 0: the flow is removed with its status as soon as it ends',
  ),
  created(
    'a volume that each Pod has for itself',
    flow('scratch', [step('write'), step('read', { dependencies: ['write'] })], {
      shareVolumes: [{ name: 'work', emptyDir: {} }],
      shareVolumeMounts: [{ name: 'work', mountPath: '/work' }],
    }),
    'shareVolumes: "work" is of the kind emptyDir: each Pod has its own, empty at its start, and no step sees what another one wrote; use a persistentVolumeClaim to pass files on',
  ),
  created(
    'a volume without a mount',
    one('unmounted', job(), { shareVolumes: [{ name: 'data', emptyDir: {} }] }),
    'spec.shareVolumes: "data" is mounted by no container',
  ),
];

const unknown = (of: string, field: string, beside: string): string =>
  `${of}: ${field}: the API server does not know this field, and the Job would run without it; ` +
  `correct its spelling or its place, or remove it (kubectl explain job.spec.template.${beside})`;

const misspelt: readonly Submission[] = [
  invalid(
    'a misspelt command',
    one('comand', inContainer({ comand: ['run'] })),
    unknown('step "a"', 'template.spec.containers[0].comand', 'spec.containers'),
  ),
  invalid(
    'a misspelt field of a container',
    one('misspelt', inContainer({ resources: { request: { cpu: '1' } } })),
    unknown(
      'step "a"',
      'template.spec.containers[0].resources.request',
      'spec.containers.resources',
    ),
  ),
  invalid(
    'a misspelt field that the Job cannot do without',
    one('misspelt-image', job({ containers: [{ name: 'main', imagee: 'busybox' }] })),
    `${unknown('step "a"', 'template.spec.containers[0].imagee', 'spec.containers')}; ` +
      'step "a": Job.batch "misspelt-image-a" is invalid: spec.template.spec.containers[0].image: Required value',
  ),
  invalid(
    'a misspelt field of a template',
    template('misspelt', inContainer({ comand: ['run'] })),
    unknown('spec.jobTemplate', 'template.spec.containers[0].comand', 'spec.containers'),
  ),
  invalid(
    'a misspelt field of a DaemonJob',
    daemonJob('misspelt', job({ initcontainers: [container] })),
    unknown('the Job of each node', 'template.spec.initcontainers', 'spec'),
  ),
  invalid(
    'a field in the wrong place: of the Pod in its container',
    one('misplaced', inContainer({ nodeSelector: { disk: 'ssd' } })),
    unknown('step "a"', 'template.spec.containers[0].nodeSelector', 'spec.containers'),
  ),
  invalid(
    'a misspelt field of a volume for all',
    flow('volume-typo', [step('a')], {
      shareVolumes: [{ name: 'v', emptyDir: { sizelimit: '1Gi' } }],
      shareVolumeMounts: [{ name: 'v', mountPath: '/v' }],
    }),
    unknown('step "a"', 'template.spec.volumes[0].emptyDir.sizelimit', 'spec.volumes.emptyDir'),
  ),
];

const wrong: readonly Submission[] = [
  invalid(
    'a cycle',
    flow('cycle', [
      step('a', { dependencies: ['c'] }),
      step('b', { dependencies: ['a'] }),
      step('c', { dependencies: ['b'] }),
    ]),
    'spec.flows[0].dependencies[0]: the dependencies form a cycle: a -> c -> b -> a',
  ),
  invalid(
    'a Pod without a container',
    one('empty', job({ containers: [] })),
    'spec.flows[0].jobTemplate.template.spec.containers: must be a list of at least one container, found []',
  ),
  invalid(
    'volumes that are no list',
    one('no-list', job({ volumes: 'all' })),
    'spec.flows[0]: step "a": template.spec.volumes is not a list of objects',
  ),
  invalid(
    'a container without an image',
    one('no-image', job({ containers: [{ name: 'main' }] })),
    'step "a": Job.batch "no-image-a" is invalid: spec.template.spec.containers[0].image: Required value',
  ),
  invalid(
    'a mount of no volume',
    one('no-volume', inContainer({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })),
    'step "a": Job.batch "no-volume-a" is invalid: spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
  ),
  invalid(
    'a template whose volumes are no list',
    template('bad-template', job({ volumes: 'all' })),
    'spec.jobTemplate: step "template": template.spec.volumes is not a list of objects',
  ),
];

const path = 'template.spec';
const controlPlane = 'node-role.kubernetes.io/control-plane';

const refusedByPolicy: readonly Submission[] = [
  byPolicy(
    'host-network',
    job({ hostNetwork: true }),
    'hostNamespaces',
    `${path}.hostNetwork: true shares it with the node; leave it out`,
  ),
  byPolicy(
    'host-pid',
    job({ hostPID: true }),
    'hostNamespaces',
    `${path}.hostPID: true shares it with the node; leave it out`,
  ),
  byPolicy(
    'host-path',
    job({ volumes: [{ name: 'etc', hostPath: { path: '/etc' } }] }),
    'hostPath',
    `${path}.volumes[0].hostPath: /etc is a path of the node; use a persistentVolumeClaim, or an emptyDir for scratch files`,
  ),
  byPolicy(
    'host-port',
    inContainer({ ports: [{ containerPort: 80, hostPort: 80 }] }),
    'hostPorts',
    `${path}.containers[0].ports[0].hostPort: 80 is a port of the node; leave it out`,
  ),
  byPolicy(
    'privileged',
    secured({ privileged: true }),
    'privileged',
    `${path}.containers[0].securityContext.privileged: true lets the container do on its node whatever root may do; leave it out, and add the capabilities that it needs`,
  ),
  byPolicy(
    'capability',
    secured({ capabilities: { add: ['SYS_ADMIN'] } }),
    'capabilities',
    `${path}.containers[0].securityContext.capabilities.add: SYS_ADMIN is added to the container; leave it out, unless it is one that runtimes grant anyway`,
  ),
  byPolicy(
    'proc-mount',
    secured({ procMount: 'Unmasked' }),
    'procMount',
    `${path}.containers[0].securityContext.procMount: Unmasked mounts /proc without its masks; write Default, or leave it out`,
  ),
  byPolicy(
    'node-name',
    job({ nodeName: 'minikube' }),
    'nodeName',
    `${path}.nodeName: the Pod goes to minikube past the scheduler; node affinity, as globalParams.nodeName makes it, does not`,
  ),
  byPolicy(
    'all-taints',
    job({ tolerations: [{ operator: 'Exists' }] }),
    'tolerations',
    `${path}.tolerations[0]: the Pod tolerates every taint; name the key of one that it is to tolerate`,
  ),
  byPolicy(
    'control-plane-taint',
    job({ tolerations: [{ key: controlPlane, operator: 'Exists' }] }),
    'controlPlane',
    `${path}.tolerations[0]: the Pod tolerates the taint of the control plane`,
  ),
  byPolicy(
    'control-plane-label',
    job({ nodeSelector: { [controlPlane]: '' } }),
    'controlPlane',
    `${path}.nodeSelector: the Pod asks for a node of the control plane`,
  ),
  byPolicy(
    'system-priority',
    job({ priorityClassName: 'system-node-critical' }),
    'priorityClass',
    `${path}.priorityClassName: system-node-critical is for Pods that the cluster cannot do without`,
  ),
  byPolicy(
    'own-scheduler',
    job({ schedulerName: 'mine' }),
    'schedulerName',
    `${path}.schedulerName: the Pod is left to the scheduler mine`,
  ),
  byPolicy(
    'own-controller',
    job({}, { managedBy: 'example.com/mine' }),
    'managedBy',
    'managedBy: the Job is left to the controller example.com/mine',
  ),
  byPolicy(
    'finalizer',
    {
      template: { metadata: { finalizers: ['example.com/stay'] }, spec: pod() },
    },
    'finalizers',
    'template.metadata.finalizers: Pods stay until example.com/stay is removed',
  ),
  {
    submitted: 'a path of the node that the flow adds to a good template',
    manifest: flow('added-path', [{ name: 'a', jobTemplateRef: 'shared' }], {
      shareVolumes: [{ name: 'etc', hostPath: { path: '/etc' } }],
    }),
    refused: {
      reason: 'Forbidden',
      message:
        'step "a": template.spec.volumes[0].hostPath: /etc is a path of the node; use a persistentVolumeClaim, or an emptyDir for scratch files (policy hostPath, profile baseline)',
    },
  },
  {
    submitted: 'a template with a privileged container',
    manifest: template('privileged-template', secured({ privileged: true })),
    refused: {
      reason: 'Forbidden',
      message:
        'spec.jobTemplate: template.spec.containers[0].securityContext.privileged: true lets the container do on its node whatever root may do; leave it out, and add the capabilities that it needs (policy privileged, profile baseline)',
    },
  },
];

/** The same for DaemonJobs, whose Jobs differ only in the node. */
const onEveryNode: readonly Submission[] = [
  created('a DaemonJob', daemonJob('every-node', { ...job(), suspend: true })),
  created(
    'a DaemonJob that excludes a node that is not there',
    daemonJob('excluding', { ...job(), excludeNodeList: 'nowhere', suspend: true }),
    'there is no node "nowhere": spec.excludeNodeList excludes nothing by it',
  ),
  created(
    'a DaemonJob that names a node',
    daemonJob('naming', { ...job({ nodeName: 'minikube' }), suspend: true }),
    'spec.template.spec.nodeName is left out: each node has a Job',
  ),
  {
    submitted: 'a DaemonJob on every node whatever keeps Pods away',
    manifest: daemonJob('everywhere', { ...job(), eligibility: 'All' }),
    refused: {
      reason: 'Forbidden',
      message:
        'the Job of each node: spec.eligibility: All makes the Pod tolerate every taint; write Fitting, and in the template the tolerations that it needs (policy tolerations)',
    },
  },
  {
    submitted: 'a DaemonJob that mounts the root of its nodes',
    manifest: daemonJob('root', job({ volumes: [{ name: 'root', hostPath: { path: '/' } }] })),
    refused: {
      reason: 'Forbidden',
      message:
        'the Job of each node: template.spec.volumes[0].hostPath: / is a path of the node; use a persistentVolumeClaim, or an emptyDir for scratch files (policy hostPath, profile baseline)',
    },
  },
  invalid(
    'a DaemonJob without a container',
    daemonJob('no-container', job({ containers: [] })),
    'spec.template.spec.containers: must be a list of at least one container, found []',
  ),
];

export const submissions: readonly Submission[] = [
  ...good,
  ...misspelt,
  ...warned,
  ...wrong,
  ...refusedByPolicy,
  ...onEveryNode,
];
