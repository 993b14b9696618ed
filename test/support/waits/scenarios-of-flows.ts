/** How each wait of a JobFlow comes about, by its name in the list. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import {
  gated,
  held,
  podTemplate,
  type Scenario,
  type Stage,
  step,
  type Waiting,
} from './stage.ts';

const batch = { labels: { tier: 'batch' } };
const absent = { name: 'b', jobTemplateRef: 'absent' };

const flow =
  (flows: readonly object[], fields: object = {}, metadata: object = {}): Scenario =>
  (stage) =>
    stage.create('JobFlow', { spec: { flows, ...fields }, metadata });

const withPod = (fields: object) => step('a', { jobTemplate: { template: podTemplate(fields) } });

/** On a machine, and where Pods are only played. */
const failing = {
  metadata: { annotations: { 'simulate.millrace.dev/exit-code': '1' } },
  ...podTemplate({}, ['false']),
};

/** The Job of step a. */
const jobOf = ({ object }: Waiting): string => `${object.metadata.name}-a`;

/** A flow whose Pod is as a kubelet tells of it. */
const withPodStatus =
  (status: () => JsonObject): Scenario =>
  async (stage: Stage) => {
    const made = await flow([withPod(gated)])(stage);
    const pod = await stage.pod(jobOf(made));
    const conditions = [{ type: 'PodScheduled', status: 'True' }];
    await stage.patch(pod, { status: { conditions, ...status() } }, { subresource: 'status' });
    return made;
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
  'as many steps run as may': flow([step('a'), step('b')], { parallelism: 1 }),
  'a flow that is shut down waits for what runs': async (stage) => {
    const made = await flow([step('a')])(stage);
    await stage.until('start of the flow', async () => {
      const { status } = (await stage.now(made)) ?? {};
      return (status as { readonly startTime?: string } | undefined)?.startTime;
    });
    await stage.patch(made, { spec: { shutdown: 'Stop' } });
    return made;
  },
  'no node takes the Pod of a step': flow([withPod({ nodeSelector: { pool: 'none' } })]),
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
  'a container goes on although another has ended': withPodStatus(() => ({
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
  'the Job asks for no Pod': flow([
    step('a', { jobTemplate: { parallelism: 0, template: podTemplate() } }),
  ]),
  'a Job was deleted and something holds it': async (stage) => {
    const made = await flow([step('a')])(stage);
    const { resource, object } = await stage.job(jobOf(made));
    await stage.patch({ resource, object }, { metadata: held });
    const { namespace = '', name } = object.metadata;
    await stage.client.delete(resource, { namespace, name });
    return made;
  },
};
