/** How each wait of a DaemonJob comes about, by its name in the list. */
import { resources } from '#shared/domain/resources.ts';
import { held, podTemplate, type Scenario, type Stage, type Waiting } from './stage.ts';

/** Each wait that concerns one node has a node of its own. */
export const nodes = ['steady', 'silent', 'cordoned'] as const;

const pinned = (node: string) => ({ nodeSelector: { 'kubernetes.io/hostname': node } });

const daemonJob =
  (fields: object = {}, metadata: object = {}, node = 'steady'): Scenario =>
  (stage) =>
    stage.create('DaemonJob', {
      spec: { template: podTemplate(pinned(node)), ...fields },
      metadata,
    });

const failing = (node?: string) => podTemplate(node === undefined ? {} : pinned(node), ['false']);

/** The Job on a node. */
const jobOn = (stage: Stage, { object }: Waiting, node: string): Promise<Waiting> =>
  stage.job(`${object.metadata.name}-${node}`);

const nodeOf = async (stage: Stage, name: string): Promise<Waiting> => {
  const find = () => stage.client.get(resources.Node, { namespace: '', name });
  return { resource: resources.Node, object: await stage.until(`node ${name}`, find) };
};

const untilState = (stage: Stage, made: Waiting, state: string) =>
  stage.until(`state ${state}`, async () => {
    const { status } = (await stage.now(made)) ?? {};
    return (status as { readonly state?: string } | undefined)?.state === state ? state : undefined;
  });

export const scenariosOfDaemonJobs: Readonly<Record<string, Scenario>> = {
  'a policy holds the DaemonJob': daemonJob({}, { labels: { tier: 'batch' } }),
  'the DaemonJob is suspended': daemonJob({ suspend: true }),
  'no node can run the DaemonJob': daemonJob({
    template: podTemplate({ nodeSelector: { pool: 'none' } }),
  }),
  'the DaemonJob is paused': daemonJob({ paused: true }),
  'a node failed and the failure policy is Pause': daemonJob({
    template: failing(),
    parallelism: 1,
    failurePolicy: 'Pause',
  }),
  'the API server refuses the Job of a node': daemonJob({}, { name: 'refused-daemon' }),
  'another object has the name of the Job of a node': async (stage) => {
    await stage.create('Job', {
      metadata: { name: 'occupied-steady' },
      spec: { suspend: true, template: podTemplate({ restartPolicy: 'Never' }) },
    });
    return daemonJob({}, { name: 'occupied' })(stage);
  },
  'the namespace of the DaemonJob is exempt': daemonJob({}, { namespace: 'kube-system' }),
  'no Pod can be created on a node': daemonJob({}, { name: 'podless-daemon' }),
  'the Job of a node is suspended by hand': async (stage) => {
    const made = await daemonJob()(stage);
    await stage.patch(await jobOn(stage, made, 'steady'), { spec: { suspend: true } });
    return made;
  },
  'a node does not report': async (stage) => {
    const made = await daemonJob({}, {}, 'silent')(stage);
    await stage.pod((await jobOn(stage, made, 'silent')).object.metadata.name);
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
    const node = await nodeOf(stage, 'silent');
    await stage.patch(node, { status: { conditions } }, { subresource: 'status' });
    return made;
  },
  'the Job of a node that was excluded is still there': async (stage) => {
    const made = await daemonJob()(stage);
    const job = await jobOn(stage, made, 'steady');
    await stage.patch(job, { metadata: held });
    await stage.patch(made, { spec: { excludeNodeList: 'steady' } });
    await stage.until('deletion of the Job', async () => {
      const { metadata } = (await stage.now(job)) ?? {};
      return metadata?.deletionTimestamp;
    });
    await stage.patch(made, { spec: { excludeNodeList: null } });
    return made;
  },
  'a retry waits for a node that is cordoned': async (stage) => {
    const made = await daemonJob({ template: failing('cordoned') })(stage);
    await untilState(stage, made, 'Failed');
    await stage.patch(await nodeOf(stage, 'cordoned'), { spec: { unschedulable: true } });
    await stage.patch(made, { metadata: { annotations: { 'millrace.dev/retry': '1' } } });
    return made;
  },
};
