/** Causes each wait of a JobFlow, by its name in the list. */
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import {
  gated,
  held,
  otherController,
  podTemplate,
  type Scenario,
  type Stage,
  step,
  type Waiting,
  untilRefused,
} from './stage.ts';

const batch = { labels: { tier: 'batch' } };
const absent = { name: 'b', jobTemplateRef: 'absent' };

const flow =
  (flows: readonly object[], fields: object = {}, metadata: object = {}): Scenario =>
  (stage) =>
    stage.create('JobFlow', { spec: { flows, ...fields }, metadata });

const withPod = (fields: object) => step('a', { jobTemplate: { template: podTemplate(fields) } });

/** Works on a real machine and where Pods are simulated. */
const failing = {
  ...podTemplate({}, ['false']),
  metadata: { annotations: { 'simulate.millrace.dev/exit-code': '1' } },
};

/** The Job of step a. */
const jobOf = ({ object }: Waiting): string => `${object.metadata.name}-a`;

/** A flow whose Pod has this status from a kubelet. */
const withPodStatus =
  (status: () => JsonObject): Scenario =>
  async (stage: Stage) => {
    const made = await flow([withPod(gated)])(stage);
    const pod = await stage.pod(jobOf(made));
    const conditions = [{ type: 'PodScheduled', status: 'True' }];
    await stage.patch(pod, { status: { conditions, ...status() } }, { subresource: 'status' });
    return made;
  };

const started = async (stage: Stage, scenario: Scenario): Promise<Waiting> => {
  const made = await scenario(stage);
  await stage.until('start of the flow', async () => {
    const { status } = (await stage.now(made)) ?? {};
    return (status as { readonly startTime?: string } | undefined)?.startTime;
  });
  return made;
};

const managed = flow([
  step('a', { jobTemplate: { managedBy: otherController, template: podTemplate() } }),
]);

/** Its Job has the test as its controller, which started it and reports this status. */
const withJobStatus = async (stage: Stage, status: JsonObject = {}): Promise<Waiting> => {
  const made = await managed(stage);
  const written = { startTime: anHourAgo(), active: 1, ready: 0, ...status };
  await stage.patch(await stage.job(jobOf(made)), { status: written }, { subresource: 'status' });
  return made;
};
const isTrue = (type: string, reason: string) => ({
  ...{ type, status: 'True', reason, message: '' },
  ...{ lastProbeTime: anHourAgo(), lastTransitionTime: anHourAgo() },
});

const untilStep = (stage: Stage, made: Waiting, state: string) =>
  stage.until(`step that is ${state}`, async () => {
    const { status } = (await stage.now(made)) ?? {};
    const { jobStatusList = [] } = (status ?? {}) as JobFlowStatus;
    return jobStatusList.find((record) => record.state === state);
  });

const resourceQuotas = {
  ...{ group: '', version: 'v1', plural: 'resourcequotas' },
  ...{ kind: 'ResourceQuota', namespaced: true },
};

const anHourAgo = (): string => rfc3339(Date.now() - 3_600_000);
const waitingFor = (reason: string, message: string) => () => ({
  startTime: anHourAgo(),
  containerStatuses: [containerStatus('main', { waiting: { reason, message } })],
});
const containerStatus = (name: string, state: JsonObject): JsonObject => ({
  ...{ name, image: 'nope:1', imageID: '', ready: false, restartCount: 0 },
  state,
});

const named = (name: string) => ({ name });
const job = (name: string, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { suspend: true, template: podTemplate({ restartPolicy: 'Never' }) },
});

export const scenariosOfFlows: Readonly<Record<string, Scenario>> = {
  'a JobTemplate of a first step is missing': flow([{ name: 'a', jobTemplateRef: 'absent' }]),
  'a JobTemplate of a later step is missing': flow([step('a'), { ...absent, dependencies: ['a'] }]),
  'a step waits for a person': flow([
    step('a', { jobTemplate: { suspend: true, template: podTemplate() } }),
  ]),
  'a failed attempt waits for its retry': flow([
    step('a', {
      jobTemplate: { template: failing },
      retryPolicy: { limit: 1, backoffSeconds: 6000 },
    }),
  ]),
  'the flow already runs as many steps as spec.parallelism allows': flow([step('a'), step('b')], {
    parallelism: 1,
  }),
  'a flow that is shut down waits for its running Jobs': async (stage) => {
    const made = await started(stage, flow([step('a')]));
    await stage.patch(made, { spec: { shutdown: 'Stop' } });
    return made;
  },
  'a flow past its deadline waits until its Jobs are gone': async (stage) => {
    const made = await flow([step('a')])(stage);
    await stage.patch(await stage.job(jobOf(made)), { metadata: held });
    const pod = await stage.pod(jobOf(made));
    await stage.patch(made, { spec: { activeDeadlineSeconds: 1 } });
    await stage.untilForgotten(pod, made);
    return made;
  },
  'no scheduler considers the Pod of a step': flow([withPod({ schedulerName: 'absent' })]),
  'no node takes the Pod of a step': flow([withPod({ nodeSelector: { pool: 'none' } })]),
  'a quota allows no more Jobs': async (stage) => {
    const name = `${stage.namespace}-quota`;
    await stage.create('Namespace', { metadata: { name } });
    const metadata = { name: 'none', namespace: name };
    await stage.createAs(resourceQuotas, { metadata, spec: { hard: { 'count/jobs.batch': '0' } } });
    await untilRefused(stage, name);
    return flow([step('a')], {}, { namespace: name })(stage);
  },
  'the submitter of the flow is not known': flow([step('a')]),
  'a frozen field of the flow was changed': async (stage) => {
    const made = await started(stage, flow([step('a')]));
    const status = { flowsHash: 'other', stepHashes: null };
    await stage.patch(made, { status }, { subresource: 'status' });
    await stage.patch(made, { spec: { parallelism: 9 } });
    return made;
  },
  'the flow is suspended': flow([step('a')], { suspend: true }),
  'a policy holds the flow': flow([step('a')], {}, batch),
  'the API server refuses the Job of a step': flow([step('a')], {}, named('refused-flow')),
  'another object has the name of the Job': async (stage) => {
    await stage.create('Job', job('taken-a'));
    return flow([step('a')], {}, named('taken'))(stage);
  },
  'another Job of that name is being deleted': async (stage) => {
    const other = await stage.create('Job', job('going-a', held));
    const { namespace = '', name } = other.object.metadata;
    await stage.client.delete(other.resource, { namespace, name });
    return flow([step('a')], {}, named('going'))(stage);
  },
  'the namespace of the flow is exempt': flow([step('a')], {}, { namespace: 'kube-system' }),
  'an image cannot be pulled': withPodStatus(waitingFor('ErrImagePull', 'not found')),
  'a Secret or ConfigMap is missing': withPodStatus(
    waitingFor('CreateContainerConfigError', 'secret "missing" not found'),
  ),
  'containers are not created for more than a minute': withPodStatus(
    waitingFor('ContainerCreating', ''),
  ),
  'a container still runs although another has ended': withPodStatus(() => ({
    phase: 'Running',
    startTime: anHourAgo(),
    containerStatuses: [
      containerStatus('main', {
        terminated: { exitCode: 0, startedAt: anHourAgo(), finishedAt: anHourAgo() },
      }),
      containerStatus('beside', { running: { startedAt: anHourAgo() } }),
    ],
  })),
  'no Pod can be created': flow([step('a')], {}, named('podless-flow')),
  'the Job requests no Pod': flow([
    step('a', { jobTemplate: { parallelism: 0, template: podTemplate() } }),
  ]),
  'another controller does not start the Job': managed,
  'a Job was deleted and something holds it': async (stage) => {
    const made = await flow([step('a')])(stage);
    const { resource, object } = await stage.job(jobOf(made));
    await stage.patch({ resource, object }, { metadata: held });
    const { namespace = '', name } = object.metadata;
    await stage.client.delete(resource, { namespace, name });
    return made;
  },
  'the Pods of a suspended step are still stopping': async (stage) => {
    const made = await withJobStatus(stage);
    await untilStep(stage, made, 'Running');
    await stage.patch(made, { spec: { suspend: true } });
    return made;
  },
  'the Job has succeeded and its Pods still terminate': (stage) =>
    withJobStatus(stage, { conditions: [isTrue('SuccessCriteriaMet', 'SuccessPolicy')] }),
  'the Job has failed and its Pods still terminate': (stage) =>
    withJobStatus(stage, { conditions: [isTrue('FailureTarget', 'BackoffLimitExceeded')] }),
  'a Job is deleted because another step failed': async (stage) => {
    const steps = [step('a'), step('b', { jobTemplate: { template: podTemplate(gated) } })];
    const made = await flow(steps, { failurePolicy: 'CancelRunning' })(stage);
    await stage.patch(await stage.job(jobOf(made)), { metadata: held });
    await stage.failPod(`${made.object.metadata.name}-b`);
    return made;
  },
};
