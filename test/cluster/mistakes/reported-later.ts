/** Mistakes that show only when the flow runs: its status or an Event reports them. */
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import { container, entry, job, jobFlow, type Mistake, one, podJob, withSpec } from './mistake.ts';

const misspelt = { resources: { request: { cpu: '1' } } };
const jobTemplate: Manifest = {
  ...jobFlow('shared-work', {}),
  kind: 'JobTemplate',
  spec: { jobTemplate: job(misspelt) },
};

const annotated = (
  manifest: Manifest,
  annotations: Readonly<Record<string, string>>,
): Manifest => ({ ...manifest, metadata: { ...manifest.metadata, annotations } });

const beforeTheStart: readonly Mistake[] = [
  {
    mistake: 'a cycle (passes `--dry-run=server`: no rule of a CRD can walk a graph)',
    manifest: jobFlow('cycle', {
      flows: [entry('a', { dependencies: ['b'] }), entry('b', { dependencies: ['a'] })],
    }),
    where: 'status',
    says: 'CycleDetected: the dependencies form a cycle: a -> b -> a',
  },
  {
    mistake: 'an empty list of containers',
    manifest: one('empty-containers', podJob({ containers: [] })),
    where: 'status',
    says: 'InvalidSpec: spec.flows[0].jobTemplate.template.spec.containers: must be a list of at least one container',
  },
  {
    mistake: 'a container without a name',
    manifest: one('nameless-container', podJob({ containers: [{ image: 'busybox:1.28' }] })),
    where: 'status',
    says: 'InvalidSpec: spec.flows[0].jobTemplate.template.spec.containers[0].name: required',
  },
  {
    mistake: 'a shared mount of a volume that is not declared',
    manifest: withSpec('no-volume', { shareVolumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    where: 'status',
    says: 'step "a" has no volume "data" to mount at /data',
  },
  {
    mistake: 'a JobTemplate that does not exist',
    manifest: jobFlow('no-job-template', { flows: [{ name: 'a', jobTemplateRef: 'missing' }] }),
    where: 'status',
    says: 'JobTemplateNotFound: step a: there is no JobTemplate "missing"',
  },
];

const refusedJobs: readonly Mistake[] = [
  {
    mistake: 'a container without an image',
    manifest: one('no-image', podJob({ containers: [{ name: 'main' }] })),
    where: 'status',
    says: 'spec.template.spec.containers[0].image: Required value',
  },
  {
    mistake: 'a misspelt field that the Job cannot do without (`imagee` for `image`)',
    manifest: one('misspelt-image', podJob({ containers: [{ name: 'main', imagee: 'busybox' }] })),
    where: 'status',
    says: 'unknown field "spec.template.spec.containers[0].imagee"; Job.batch "misspelt-image-a" is invalid',
  },
  {
    mistake: 'capitals in the name of a container',
    manifest: one('container-name', job({ name: 'Main' })),
    where: 'status',
    says: 'spec.template.spec.containers[0].name: Invalid value: "Main"',
  },
  {
    mistake: '`memory: 1Gb` (it is `1G` or `1Gi`)',
    manifest: one('gigabyte', job({ resources: { requests: { memory: '1Gb' } } })),
    where: 'status',
    says: 'quantities must match the regular expression',
  },
  {
    mistake: 'a number as the value of a variable of a container',
    manifest: one('env-number', job({ env: [{ name: 'PORT', value: 80 }] })),
    where: 'status',
    says: 'cannot unmarshal number into Go struct field EnvVar',
  },
  {
    mistake: 'a mount of a volume that the Pod does not have',
    manifest: one('pod-mount', job({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })),
    where: 'status',
    says: 'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
  },
  {
    mistake: 'two containers of one name',
    manifest: one('containers-twice', podJob({ containers: [container, container] })),
    where: 'status',
    says: 'spec.template.spec.containers[1].name: Duplicate value: "main"',
  },
];

const gate = { schedulingGates: [{ name: 'test.millrace.dev/hold' }] };
const gated = (name: string) => one(name, podJob({ ...gate, containers: [container] }));

const waitingPods: readonly Mistake[] = [
  {
    mistake: 'a request that no node can satisfy (`cpu: 999`)',
    manifest: one('wide', job({ resources: { requests: { cpu: '999' } } })),
    where: 'status',
    says: 'Insufficient cpu',
  },
  {
    mistake: 'a misspelt `nodeName`',
    manifest: withSpec('node', { globalParams: { nodeName: 'minikub' } }),
    where: 'status',
    says: "node(s) didn't satisfy plugin(s) [NodeAffinity]",
  },
  {
    mistake: 'a volume claim that does not exist',
    manifest: one(
      'claim',
      podJob({
        containers: [container],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'missing' } }],
      }),
    ),
    where: 'status',
    says: 'persistentvolumeclaim "missing" not found',
  },
  {
    mistake: 'a Pod that the namespace refuses (host network; service account or quota missing)',
    manifest: one('refused-pod', podJob({ containers: [container], hostNetwork: true })),
    where: 'status',
    says: 'violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  },
  {
    mistake: 'an image that cannot be pulled',
    manifest: gated('pull'),
    kubelet: { reason: 'ErrImagePull', message: 'not found' },
    where: 'status',
    says: 'image "busybox:1.28" of container main cannot be pulled: not found',
  },
  {
    mistake: 'an invalid image reference',
    manifest: gated('reference'),
    kubelet: {
      reason: 'InvalidImageName',
      message: 'couldn\'t parse image name "Busy Box": invalid reference format',
    },
    where: 'status',
    says: 'InvalidImageName',
  },
  {
    mistake: 'a Secret that does not exist',
    manifest: gated('secret'),
    kubelet: { reason: 'CreateContainerConfigError', message: 'secret "missing" not found' },
    where: 'status',
    says: 'secret "missing" not found',
  },
  {
    mistake: 'a ConfigMap that does not exist',
    manifest: gated('config-map'),
    kubelet: { reason: 'CreateContainerConfigError', message: 'configmap "missing" not found' },
    where: 'status',
    says: 'configmap "missing" not found',
  },
];

function simulated(name: string, annotations: Readonly<Record<string, string>>, spec = {}) {
  const template = { metadata: { annotations }, spec: { containers: [container] } };
  return one(name, { ...spec, template });
}
const exiting = (name: string, code: number) =>
  simulated(name, {
    'simulate.millrace.dev/run-for': '50ms',
    'simulate.millrace.dev/exit-code': String(code),
  });

const running: readonly Mistake[] = [
  {
    mistake: 'a program that exits with 3',
    manifest: exiting('exits', 3),
    where: 'status',
    says: 'StepFailed: failed: a (BackoffLimitExceeded: container main exited 3; kubectl -n ',
  },
  {
    mistake: 'a command that the shell does not find',
    manifest: exiting('command', 127),
    where: 'status',
    says: 'StepFailed: failed: a (BackoffLimitExceeded: container main exited 127; kubectl -n ',
  },
  {
    mistake: 'an `activeDeadlineSeconds` that is too short',
    manifest: simulated(
      'deadline',
      { 'simulate.millrace.dev/run-for': '1h' },
      { activeDeadlineSeconds: 1 },
    ),
    where: 'status',
    says: 'StepFailed: failed: a (DeadlineExceeded: ',
  },
  {
    mistake: 'a misspelt field in a Pod template (`request` for `requests`)',
    manifest: one('pod-field', job(misspelt)),
    where: 'Event',
    says: 'unknown field "spec.template.spec.containers[0].resources.request"',
  },
  {
    mistake: 'a misspelt field in the Pod template of a JobTemplate',
    after: jobTemplate,
    manifest: jobFlow('template-field', { flows: [{ name: 'a', jobTemplateRef: 'shared-work' }] }),
    where: 'Event',
    says: 'unknown field "spec.template.spec.containers[0].resources.request"',
  },
  {
    mistake: 'a misspelt annotation of Millrace (`millrace.dev/rety`)',
    manifest: annotated(one('misspelt-key', job()), { 'millrace.dev/rety': '1' }),
    where: 'Event',
    says: 'metadata.annotations[millrace.dev/rety]: Millrace knows no such annotation; did you mean millrace.dev/retry?',
  },
];

export const reportedLater: readonly Mistake[] = [
  ...beforeTheStart,
  ...refusedJobs,
  ...waitingPods,
  ...running,
];
