/** Causes each wait of a DaemonJob, by its name in the list. Its Pods are gated, so the test acts as kubelet. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import {
  gated,
  held,
  keyOf,
  onlyTaint,
  podTemplate,
  type Scenario,
  type Stage,
  type Waiting,
} from './stage.ts';

const nameOf = ({ object }: Waiting): string => object.metadata.name;

/** Only on these nodes. */
const templateFor = (nodes: readonly Waiting[], scheduling: object = gated) => {
  const values = nodes.map(nameOf);
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values }];
  const nodeSelectorTerms = [{ matchExpressions }];
  return podTemplate({
    ...scheduling,
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
    tolerations: [{ key: onlyTaint.key, operator: 'Exists' }],
  });
};

const onNode = (stage: Stage, node: Waiting, fields: object = {}, metadata: object = {}) =>
  stage.create('DaemonJob', { spec: { template: templateFor([node]), ...fields }, metadata });

const daemonJob =
  (fields: object = {}, metadata: object = {}): Scenario =>
  async (stage) =>
    onNode(stage, await stage.node(), fields, metadata);

/** The Job on a node. */
const jobOn = (stage: Stage, made: Waiting, node: Waiting): Promise<Waiting> =>
  stage.job(`${nameOf(made)}-${nameOf(node)}`);

interface Status {
  readonly state?: string;
  readonly reason?: string;
  readonly startTime?: string;
}

const untilStatus = (stage: Stage, made: Waiting, what: string, is: (status: Status) => boolean) =>
  stage.until(`DaemonJob that ${what}`, async () => {
    const status: Status = (await stage.now(made))?.status ?? {};
    return is(status) ? status : undefined;
  });

const failedOn = async (stage: Stage, node: Waiting, fields: object = {}): Promise<Waiting> => {
  const made = await onNode(stage, node, fields);
  await stage.failPod(nameOf(await jobOn(stage, made, node)));
  return made;
};

const untilDeleted = (stage: Stage, job: Waiting) =>
  stage.until('deletion of the Job', async () => {
    const { metadata } = (await stage.now(job)) ?? {};
    return metadata?.deletionTimestamp;
  });

const report = (stage: Stage, node: Waiting, status: 'False' | 'Unknown') =>
  stage.patch(
    node,
    { status: { conditions: [{ type: 'Ready', status, reason: 'Test' }] } },
    { subresource: 'status' },
  );

/** Retries a node whose Job has failed, after a change. Another DaemonJob shows that the change is visible. */
const retryOn =
  (change: (stage: Stage, node: Waiting) => Promise<void>, isUnattended = false): Scenario =>
  async (stage) => {
    const node = await stage.node({ isUnattended });
    const made = await failedOn(stage, node);
    await untilStatus(stage, made, 'has failed', ({ state }) => state === 'Failed');
    await change(stage, node);
    const other = await onNode(stage, node);
    await untilStatus(stage, other, 'has no node', ({ reason }) => reason === 'NoEligibleNodes');
    await stage.patch(made, { metadata: { annotations: { 'millrace.dev/retry': '1' } } });
    return made;
  };

const patchSpec = (spec: JsonObject) => (stage: Stage, node: Waiting) =>
  stage.patch(node, { spec });

export const scenariosOfDaemonJobs: Readonly<Record<string, Scenario>> = {
  'no scheduler considers the Pod of a node': async (stage) => {
    const template = templateFor([await stage.node()], { schedulerName: 'absent' });
    return stage.create('DaemonJob', { spec: { template } });
  },
  'a DaemonJob that is shut down waits for its running Jobs': async (stage) => {
    const node = await stage.node();
    const made = await onNode(stage, node);
    await jobOn(stage, made, node);
    await stage.patch(made, { spec: { shutdown: 'Stop' } });
    return made;
  },
  'a DaemonJob past its deadline waits until its Jobs are gone': async (stage) => {
    const node = await stage.node();
    const made = await onNode(stage, node);
    const job = await jobOn(stage, made, node);
    await stage.patch(job, { metadata: held });
    const pod = await stage.pod(nameOf(job));
    await stage.patch(made, { spec: { activeDeadlineSeconds: 1 } });
    await stage.untilForgotten(pod, made);
    return made;
  },
  'a policy holds the DaemonJob': daemonJob({}, { labels: { tier: 'batch' } }),
  'the DaemonJob is suspended': daemonJob({ suspend: true }),
  'no node can run the DaemonJob': daemonJob({
    template: podTemplate({ nodeSelector: { pool: 'none' } }),
  }),
  'the DaemonJob is paused': daemonJob({ paused: true }),
  'a node failed and the failure policy is Pause': async (stage) => {
    const nodes = [await stage.node(), await stage.node()];
    const [first] = nodes.toSorted((one, other) => compareTexts(nameOf(one), nameOf(other)));
    const template = templateFor(nodes);
    return failedOn(stage, first!, { template, parallelism: 1, failurePolicy: 'Pause' });
  },
  'the API server refuses the Job of a node': daemonJob({}, { name: 'refused-daemon' }),
  'another object has the name of the Job of a node': async (stage) => {
    const node = await stage.node();
    await stage.create('Job', {
      metadata: { name: `occupied-${nameOf(node)}` },
      spec: { suspend: true, template: podTemplate({ restartPolicy: 'Never' }) },
    });
    return onNode(stage, node, {}, { name: 'occupied' });
  },
  'the submitter of the DaemonJob is not known': daemonJob(),
  'the namespace of the DaemonJob is exempt': daemonJob({}, { namespace: 'kube-system' }),
  'a frozen field of the DaemonJob was changed': async (stage) => {
    const made = await daemonJob()(stage);
    await untilStatus(stage, made, 'has started', ({ startTime }) => startTime !== undefined);
    await stage.patch(made, { status: { specHash: 'other' } }, { subresource: 'status' });
    await stage.patch(made, { spec: { parallelism: 9 } });
    return made;
  },
  'no Pod can be created on a node': daemonJob({}, { name: 'podless-daemon' }),
  'the Job of a node is suspended by hand': async (stage) => {
    const node = await stage.node();
    const made = await onNode(stage, node);
    await stage.patch(await jobOn(stage, made, node), { spec: { suspend: true } });
    return made;
  },
  'a node does not report': async (stage) => {
    const node = await stage.node({ isUnattended: true });
    const made = await onNode(stage, node);
    await stage.pod(nameOf(await jobOn(stage, made, node)));
    await report(stage, node, 'Unknown');
    return made;
  },
  'the Job of a node that was excluded is still there': async (stage) => {
    const node = await stage.node();
    const made = await onNode(stage, node);
    const job = await jobOn(stage, made, node);
    await stage.patch(job, { metadata: held });
    await stage.patch(made, { spec: { excludeNodeList: nameOf(node) } });
    await untilDeleted(stage, job);
    await stage.patch(made, { spec: { excludeNodeList: null } });
    return made;
  },
  'the Job of a node was deleted and something holds it for more than a minute': async (stage) => {
    const node = await stage.node();
    const made = await onNode(stage, node);
    const job = await jobOn(stage, made, node);
    await stage.patch(job, { metadata: held });
    await stage.delete(job);
    return made;
  },
  'the Job of a former machine is still there': async (stage) => {
    const node = await stage.node();
    const made = await onNode(stage, node);
    const job = await jobOn(stage, made, node);
    await stage.patch(job, { metadata: held });
    await stage.delete(node);
    await untilDeleted(stage, job);
    await stage.node({ name: nameOf(node) });
    return made;
  },
  'a retry waits for a node that is cordoned': retryOn(patchSpec({ unschedulable: true })),
  'a retry waits for a node that is not ready': retryOn(
    (stage, node) => report(stage, node, 'False'),
    true,
  ),
  'a retry waits for a node that is unreachable': retryOn(
    (stage, node) => report(stage, node, 'Unknown'),
    true,
  ),
  'a retry waits for a node that is tainted': retryOn(
    patchSpec({ taints: [onlyTaint, { key: 'dedicated', effect: 'NoSchedule' }] }),
  ),
  'a retry waits for a node that is being deleted': retryOn(async (stage, node) => {
    await stage.patch(node, { metadata: held });
    await stage.client.delete(node.resource, keyOf(node.object));
  }),
};
