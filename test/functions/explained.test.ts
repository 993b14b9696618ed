/**
 * Reports of `millrace why` besides the waits of the list (test/functions/waits.test.ts): queues of Kueue, AppWrappers,
 * single steps and nodes, ended objects, and causes that no status has.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startUp, type RunningUp } from '#functions/millrace/up/start-up.ts';
import { explain, explainAll, explainedKinds } from '#functions/millrace/why/explain.ts';
import type { Explanation } from '#functions/millrace/why/explanation.ts';
import { outputFaults } from '#functions/millrace/testing/output-shape.ts';
import { explanationText } from '#functions/millrace/why/explanation-text.ts';
import type { Surroundings } from '#functions/millrace/why/surroundings.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { asEventId, type JsonObject, objectName } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { clusterEvent } from '#shared/kube/cluster-event.ts';
import type { Terminal } from '#test/support/terminal.ts';
import { podTemplate, Stage, step, type Waiting } from '#test/support/waits/stage.ts';
import { everyCause as every, terminalBeside, typeNext } from '#test/support/waits/type-next.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
let folder: string;
let running: RunningUp;
let stage: Stage;
/** Absent: this machine has no kubectl. */
let terminal: Terminal | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-why-'));
  running = await startUp({
    ...{ port: 0, nodes: ['n1', 'n2'], speed: 10, runCommands: false, webhooks: false },
    ...{ kueue: true, stateRoot: join(folder, 'millrace'), logger: pino({ level: 'silent' }) },
  });
  terminal = await terminalBeside(running.kubeconfig, folder);
  stage = new Stage(running.cluster.client({ user: 'ann', fieldManager: 'ann' }));
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

const inQueue = (queue: string) => ({ labels: { 'kueue.x-k8s.io/queue-name': queue } });
const main = { name: 'main', image: 'busybox', command: ['sleep', '6000'] };
const needing = (cpu: string, fields: object = {}) =>
  podTemplate({
    containers: [{ ...main, resources: { requests: { cpu } } }],
    ...fields,
  });
const wrapped = (fields: object = {}) => ({
  spec: {
    components: [
      {
        template: {
          ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'inner-' } },
          spec: { template: podTemplate({ restartPolicy: 'Never' }) },
        },
      },
    ],
    ...fields,
  },
});

function surroundings(more: Partial<Surroundings> = {}): Surroundings {
  const { client } = stage;
  return { client, kubectl: 'kubectl', options: '', queueOptions: '', ...more };
}

async function explained(
  waiting: Waiting,
  part?: string,
  more: Partial<Surroundings> = {},
): Promise<Explanation> {
  const object = await stage.now(waiting);
  const kind = explainedKinds.find(({ resource }) => resource.kind === object?.kind);
  if (object === undefined || kind === undefined) throw new Error('it cannot be explained');
  return explain(kind, object, part, surroundings(more));
}

/** Waits until these are the reasons, from the outermost to the innermost, and runs the next command. */
async function untilReasons(
  waiting: Waiting,
  reasons: readonly string[],
  part?: string,
): Promise<Explanation> {
  const explanation = await vi.waitFor(
    async () => {
      const found = await explained(waiting, part);
      expect(every(found.causes).map(({ reason }) => reason)).toEqual(reasons);
      return found;
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(outputFaults('why')(explanation)).toEqual([]);
  if (terminal !== undefined) await typeNext(terminal, explanation);
  return explanation;
}

it('a flow in a queue that does not exist waits for the queue', async () => {
  const flow = await stage.create('JobFlow', {
    metadata: inQueue('absent'),
    spec: { flows: [step('a')] },
  });
  const { causes, next } = await untilReasons(flow, ['Queued', 'Inadmissible', 'NotFound']);
  expect(every(causes).at(-1)?.message).toBe('there is no LocalQueue absent');
  expect(next).toBe('kubectl -n default get localqueues.kueue.x-k8s.io');
});

it('a Workload of a queue that does not exist says so itself', async () => {
  const flow = await stage.create('JobFlow', {
    metadata: inQueue('absent-as-well'),
    spec: { flows: [step('a')] },
  });
  const { next } = await untilReasons(await workloadOf(flow), ['Inadmissible', 'NotFound']);
  expect(next).toBe('kubectl -n default get localqueues.kueue.x-k8s.io');
});

async function workloadOf({ object: owner }: Waiting): Promise<Waiting> {
  const object = await stage.until('a Workload of it', async () => {
    const { items } = await stage.client.list(resources.Workload, {});
    return items.find(({ metadata }) =>
      metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid),
    );
  });
  return { resource: resources.Workload, object };
}

it('a flow that requests more than the quota waits for quota, in the words of Kueue', async () => {
  const flow = await stage.create('JobFlow', {
    metadata: inQueue('main'),
    spec: { flows: [{ name: 'a', jobTemplate: { template: needing('400') } }] },
  });
  const { causes, next } = await untilReasons(flow, ['Queued', 'Pending']);
  expect(every(causes).at(-1)?.message).toMatch(/insufficient quota for cpu/);
  expect(next).toMatch(/^kubectl -n default describe workloads\.kueue\.x-k8s\.io jobflow-/);
});

it('a Workload behind others of its queue is explained with the number ahead', async () => {
  const create = () =>
    stage.create('DaemonJob', {
      metadata: inQueue('main'),
      spec: { template: { spec: { containers: needing('300').spec.containers } } },
    });
  await create();
  const [, last] = [await create(), await create()];
  const explanation = await vi.waitFor(
    async () => {
      const found = await explained(last);
      expect(every(found.causes).map(({ reason }) => reason)).toContain('InLine');
      return found;
    },
    { timeout: 30_000 },
  );
  const [inLine] = every(explanation.causes).filter(({ reason }) => reason === 'InLine');
  expect(inLine?.message).toMatch(/^\d+ other Workloads? of the queue main comes? first/);
});

/** A ClusterQueue with one CPU, and its LocalQueue. */
async function queue(name: string, spec: JsonObject = {}, local: JsonObject = {}): Promise<void> {
  const flavors = [{ name: 'default-flavor', resources: [{ name: 'cpu', nominalQuota: '1' }] }];
  const clusterQueue = {
    ...resources.ResourceFlavor,
    plural: 'clusterqueues',
    kind: 'ClusterQueue',
  };
  await stage.createAs(clusterQueue, {
    metadata: { name },
    spec: {
      namespaceSelector: {},
      preemption: { withinClusterQueue: 'LowerPriority' },
      resourceGroups: [{ coveredResources: ['cpu'], flavors }],
      ...spec,
    },
  });
  await stage.create('LocalQueue', { metadata: { name }, spec: { clusterQueue: name, ...local } });
}

const oneStep = (name: string, fields: object = {}) =>
  stage.create('JobFlow', {
    metadata: inQueue(name),
    spec: { flows: [{ name: 'a', jobTemplate: { template: needing('1', fields) } }] },
  });

it('a flow of a lower priority is explained with the number that come first', async () => {
  const metadata = { name: 'urgent' };
  const priority = { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses' };
  const resource = { ...priority, kind: 'PriorityClass', namespaced: false };
  await stage.client.create(resource, {
    ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata },
    ...{ value: 1_000 },
  });
  await queue('ranked', { stopPolicy: 'None' }, { stopPolicy: 'Hold' });
  const low = await oneStep('ranked');
  await oneStep('ranked', { priorityClassName: 'urgent' });
  const reasons = ['Queued', 'Inadmissible', 'Stopped', 'InLine'];
  const { causes } = await untilReasons(low, reasons);
  expect(every(causes).at(-1)?.message).toBe(
    '1 other Workload of the queue ranked comes first: 1 with a higher priority than 0',
  );
});

it('a flow that had to give way says for whom', async () => {
  await queue('contended');
  const low = await oneStep('contended');
  await untilReasons(low, []);
  await oneStep('contended', { priorityClassName: 'urgent' });
  await untilReasons(low, expect.arrayContaining(['Queued', 'Preempted']) as readonly string[]);
});

it('a step of a flow in a queue is not resumed by hand', async () => {
  const flow = await stage.create('JobFlow', {
    metadata: inQueue('absent-for-step'),
    spec: { flows: [step('a')] },
  });
  const reasons = ['FlowSuspended', 'Queued', 'Inadmissible', 'NotFound'];
  const { next } = await untilReasons(flow, reasons, 'a');
  expect(next).toBe('kubectl -n default get localqueues.kueue.x-k8s.io');
});

it('a flow in a queue that is stopped waits for the queue', async () => {
  await queue('shut', {}, { stopPolicy: 'Hold' });
  const { next } = await untilReasons(await oneStep('shut'), ['Queued', 'Inadmissible', 'Stopped']);
  expect(next).toBe('kubectl -n default get localqueues.kueue.x-k8s.io');
});

it('a flow in a queue that a policy has stopped names the policy and its schedule once', async () => {
  await queue('at-night');
  const exceptions = [{ name: 'freeze', from: '2020-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' }];
  await stage.create('SuspendPolicy', {
    metadata: { name: 'freezes' },
    spec: {
      ...{ kinds: ['LocalQueue'], selector: { matchLabels: { frozen: 'yes' } } },
      schedule: {
        timeZone: 'UTC',
        exceptions: exceptions.map((each) => ({ ...each, state: 'Closed' })),
      },
    },
  });
  const flow = await oneStep('at-night');
  await untilReasons(flow, []);
  await stage.client.patch(
    resources.LocalQueue,
    { namespace: 'default', name: 'at-night' },
    { metadata: { labels: { frozen: 'yes' } } },
    { type: 'merge' },
  );
  const quota = ['Inadmissible', 'Stopped', 'WindowClosed', 'Closed'];
  const { causes, next } = await untilReasons(flow, ['Queued', ...quota, 'LocalQueueStopped']);
  const held = every(causes).find(({ reason }) => reason === 'WindowClosed');
  expect(held).toMatchObject({ message: 'held by SuspendPolicy/default/freezes' });
  expect(next).toContain('schedule preview suspendpolicy/freezes');
});

it('a flow in a queue whose ClusterQueue is stopped waits for that', async () => {
  await queue('closed', { stopPolicy: 'HoldAndDrain' });
  const reasons = ['Queued', 'Inadmissible', 'ClusterQueueIsInactive'];
  await untilReasons(await oneStep('closed'), reasons);
});

it('a flow in a queue without a ClusterQueue says so', async () => {
  await stage.create('LocalQueue', { metadata: { name: 'odd' }, spec: { clusterQueue: 'none' } });
  const reasons = ['Queued', 'Inadmissible', 'ClusterQueueDoesNotExist'];
  await untilReasons(await oneStep('odd'), reasons);
});

it('a flow whose admission is checked names the check', async () => {
  const admissionChecks = [{ name: 'budget' }];
  await queue('checked', { admissionChecksStrategy: { admissionChecks } });
  const reasons = ['Queued', 'AdmissionCheckPending'];
  const { causes } = await untilReasons(await oneStep('checked'), reasons);
  expect(every(causes).at(-1)?.message).toMatch(/^budget: /);
});

it('a Workload that a user has deactivated says so', async () => {
  await queue('put-out');
  const flow = await oneStep('put-out');
  await untilReasons(flow, []);
  const workload = await workloadOf(flow);
  await stage.patch(workload, { spec: { active: false } });
  await untilReasons(workload, expect.arrayContaining(['Inactive']) as readonly string[]);
});

it('an AppWrapper in a queue that does not exist waits for the queue', async () => {
  const wrapper = await stage.create('AppWrapper', {
    metadata: inQueue('absent-too'),
    ...wrapped({ suspend: true }),
  });
  const { next } = await untilReasons(wrapper, ['Queued', 'Inadmissible', 'NotFound']);
  expect(next).toBe('kubectl -n default get localqueues.kueue.x-k8s.io');
});

it('an AppWrapper that is suspended by hand is resumed by the next command', async () => {
  const wrapper = await stage.create('AppWrapper', wrapped({ suspend: true }));
  const { next } = await untilReasons(wrapper, ['Suspended']);
  expect(next).toMatch(
    / patch appwrappers\.\S+ \S+ --type merge -p '\{"spec":\{"suspend":false\}\}'$/,
  );
});

it('an AppWrapper that is reset says why, and when the next try begins', async () => {
  const failing = podTemplate({ restartPolicy: 'Never' }, ['false']);
  const annotations = { 'simulate.millrace.dev/exit-code': '1' };
  const job = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'inner-' } },
    spec: { backoffLimit: 0, template: { ...failing, metadata: { annotations } } },
  };
  const wrapper = await stage.create('AppWrapper', { spec: { components: [{ template: job }] } });
  const { causes } = await untilReasons(wrapper, ['FailedComponent', 'Resetting']);
  expect(every(causes).at(1)?.message).toMatch(/will be created again at \S+Z$/);
});

it('an AppWrapper that has failed in a queue does not wait for it', async () => {
  const kind = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a' } };
  const podSets = [{ path: 'template.spec.template' }];
  const component = { podSets, template: { ...kind, spec: { template: podTemplate() } } };
  await queue('failing');
  const wrapper = await stage.create('AppWrapper', {
    metadata: {
      ...inQueue('failing'),
      annotations: { 'workload.codeflare.dev.appwrapper/retryLimit': '0' },
    },
    spec: { suspend: true, components: [component] },
  });
  const { waits } = await untilReasons(wrapper, ['CreateFailed']);
  expect(waits).toBe(false);
});

it('an AppWrapper names the component that cannot be created yet', async () => {
  const operations = ['CREATE'];
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations, resources: ['configmaps'] };
  const expression = "object.metadata.name != 'denied'";
  const validations = [{ expression, message: 'not today', reason: 'Forbidden' }];
  const matchConstraints = { resourceRules: [rule] };
  const spec = { failurePolicy: 'Fail', matchConstraints, validations };
  const metadata = { name: 'no-denied' };
  await stage.create('ValidatingAdmissionPolicy', { metadata, spec });
  await stage.create('ValidatingAdmissionPolicyBinding', {
    ...{ metadata, spec: { policyName: 'no-denied', validationActions: ['Deny'] } },
  });
  const template = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'denied' } };
  const wrapper = await stage.create('AppWrapper', { spec: { components: [{ template }] } });
  const { causes } = await untilReasons(wrapper, ['Resuming', 'ComponentCreationErrored']);
  expect(every(causes).at(-1)?.message).toContain('not today');
});

it('an AppWrapper that is being suspended names what is left, and the finalizers that keep it', async () => {
  const metadata = { generateName: 'stays-', finalizers: ['example.com/keep'] };
  const template = { apiVersion: 'v1', kind: 'Pod', metadata, spec: podTemplate().spec };
  const wrapper = await stage.create('AppWrapper', { spec: { components: [{ template }] } });
  await stage.until('a running AppWrapper', async () => {
    const { phase } = fieldsOf((await stage.now(wrapper))?.status);
    return phase === 'Running' ? phase : undefined;
  });
  await stage.patch(wrapper, { spec: { suspend: true } });
  const reasons = ['DeletionInitiated', 'Terminating', 'Suspended'];
  const { causes, next } = await untilReasons(wrapper, reasons);
  expect(every(causes)[1]?.message).toContain('example.com/keep');
  expect(next).toMatch(/ pods stays-/);
});

it('an AppWrapper names what its components wait for', async () => {
  const absent = podTemplate({ nodeSelector: { disk: 'absent' }, restartPolicy: 'Never' });
  const gate = step('a', { jobTemplate: { suspend: true, template: podTemplate() } });
  const components = [
    {
      template: {
        ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
        ...{ metadata: { generateName: 'inner-' }, spec: { flows: [gate] } },
      },
    },
    {
      template: {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'inner-' } },
        spec: absent.spec,
      },
    },
  ];
  // This clock runs ten times as fast: the usual graces end while the test still asks.
  const annotations = {
    [wrapperAnnotations.admissionGrace]: '1h',
    [wrapperAnnotations.warmupGrace]: '1h',
  };
  const metadata = { annotations };
  const wrapper = await stage.create('AppWrapper', { metadata, spec: { components } });
  const reasons = ['InsufficientPodsReady', 'ManualGate', 'ManualGate', 'Unschedulable'];
  const { next } = await untilReasons(wrapper, reasons);
  expect(next).toMatch(/^millrace .*approve jobflow\/inner-/);
});

it('an AppWrapper of another controller is left to it', async () => {
  const wrapper = await stage.create('AppWrapper', wrapped({ managedBy: 'example.com/other' }));
  await untilReasons(wrapper, ['ManagedByOther']);
});

it('a JobFlow that Kueue runs on another cluster is left to it', async () => {
  const managedBy = 'kueue.x-k8s.io/multikueue';
  const flow = await stage.create('JobFlow', { spec: { managedBy, flows: [step('a')] } });
  const { causes } = await untilReasons(flow, ['ManagedByOther']);
  expect(causes).toMatchObject([{ source: 'spec.managedBy' }]);
});

it('a step names the chain of steps that it depends on, down to the one that does not continue', async () => {
  const flow = await stage.create('JobFlow', {
    spec: {
      flows: [
        step('a', { jobTemplate: { template: podTemplate({ nodeSelector: { disk: 'absent' } }) } }),
        step('b', { dependencies: ['a'] }),
        step('c', { dependencies: ['b'] }),
      ],
    },
  });
  const reasons = ['DependenciesPending', 'DependenciesPending', 'Unschedulable'];
  const { causes, next } = await untilReasons(flow, reasons, 'c');
  expect(every(causes).map(({ object }) => object.part)).toEqual(['c', 'b', 'a']);
  expect(next).toMatch(/^kubectl -n default describe pod \S+-a-/);
});

it('a flow in which a step failed and others run continues', async () => {
  const failing = { template: podTemplate({ containers: [{ ...main, command: ['false'] }] }) };
  const flow = await stage.create('JobFlow', {
    spec: { flows: [step('bad', { jobTemplate: failing }), step('good')] },
  });
  const explanation = await untilReasons(flow, ['BackoffLimitExceeded']);
  expect(explanation).toMatchObject({ state: 'Running', waits: false });
  const [head] = explanationText(explanation);
  expect(head).toBe(`JobFlow default/${flow.object.metadata.name}: Running`);
});

it('a step that the flow does not have is refused with those that it has', async () => {
  const flow = await stage.create('JobFlow', { spec: { flows: [step('a'), step('b')] } });
  await expect(explained(flow, 'zz')).rejects.toThrow(/has no step zz; it has a, b$/);
});

it('a node is excluded, does not exist, or goes on', async () => {
  const job = await stage.create('DaemonJob', {
    spec: {
      excludeNodeList: 'n2',
      template: {
        spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' }, ...podTemplate().spec },
      },
    },
  });
  await untilReasons(job, ['Excluded'], 'n2');
  await untilReasons(job, ['NotFound'], 'absent');
  const { waits } = await untilReasons(job, [], 'n1');
  expect(waits).toBe(false);
});

it('a node is excluded or absent also after the DaemonJob has succeeded', async () => {
  const job = await stage.create('DaemonJob', {
    spec: { excludeNodeList: 'n2', template: podTemplate({}, ['true']) },
  });
  const { namespace = '', name } = job.object.metadata;
  await stage.until('it has succeeded', async () => {
    const now = await stage.client.get(resources.DaemonJob, { namespace, name });
    return fieldsOf(now?.status)['state'] === 'Succeed' ? now : undefined;
  });
  await untilReasons(job, ['Excluded'], 'n2');
  await untilReasons(job, ['NotFound'], 'absent');
  await untilReasons(job, [], 'n1');
});

it('a flow that failed does not wait, and the next command shows the failed Pod', async () => {
  const failing = {
    ...podTemplate({}, ['false']),
    metadata: { annotations: { 'simulate.millrace.dev/exit-code': '1' } },
  };
  const flow = await stage.create('JobFlow', {
    spec: { flows: [step('a', { jobTemplate: { template: failing } })] },
  });
  const { waits, next } = await untilReasons(flow, ['StepFailed', 'BackoffLimitExceeded']);
  expect(waits).toBe(false);
  expect(next).toMatch(/^kubectl -n default logs job\/\S+-a$/);
});

it('a Job that is suspended by hand is resumed by the next command', async () => {
  const job = await stage.create('Job', {
    spec: { suspend: true, template: podTemplate({ restartPolicy: 'Never' }) },
  });
  const { next } = await untilReasons(job, ['Suspended']);
  expect(next).toMatch(/ patch jobs\.batch \S+ --type merge -p '\{"spec":\{"suspend":false\}\}'$/);
});

it('a Job with a Pod that no node takes names the Pod and the words of the scheduler', async () => {
  const template = podTemplate({ restartPolicy: 'Never', nodeSelector: { disk: 'absent' } });
  const job = await stage.create('Job', { spec: { template } });
  const { causes } = await untilReasons(job, ['Unschedulable']);
  expect(causes[0]?.object.kind).toBe('Pod');
  expect(causes[0]?.message).toMatch(/nodes are available/);
});

it('an item that was put aside is named with its error', async () => {
  const flow = await stage.create('JobFlow', { spec: { flows: [step('a')] } });
  const { apiVersion, kind, metadata } = flow.object;
  const { uid } = metadata;
  const key = { apiVersion, kind, uid, ...objectName(metadata) };
  const parked = [
    { key, cause: asEventId(`${uid}.1`), uid, reason: 'MR_TEST: odd', parkedAtMs: 0 },
  ];
  const depth = { waiting: 0, running: 0, delayed: 0, parked: 1 };
  const queue = [{ function: 'flow-advance', depth, parked }];
  const { causes, next } = await explained(flow, undefined, { queue });
  expect(causes[0]).toMatchObject({ reason: 'Parked', source: 'queue of flow-advance' });
  expect(causes[0]?.message).toMatch(/: MR_TEST: odd$/);
  expect(next).toMatch(/^millrace queue retry jobflow\/\S+ -n default$/);
});

it('an object that no function has looked at yet is behind others of its queue', async () => {
  const flow = await stage.create('JobFlow', { spec: { flows: [step('a')] } });
  const untouched = {
    get: stage.client.get.bind(stage.client),
    list: stage.client.list.bind(stage.client),
  };
  const depth = { waiting: 7, running: 4, delayed: 0, parked: 0 };
  const queue = [{ function: 'flow-advance', depth, parked: [] }];
  const kind = explainedKinds[0];
  if (kind === undefined) throw new Error('no kind is explained');
  const { apiVersion, kind: itsKind, metadata, spec } = flow.object;
  const unseen = { apiVersion, kind: itsKind, metadata, spec };
  const around = surroundings({ client: untouched, queue });
  const { causes } = await explain(kind, unseen, undefined, around);
  expect(every(causes).map(({ reason }) => reason)).toEqual(['NotSeenYet', 'QueueLag']);
});

it('an object whose runs fail before it has a status says why, in the words of the last Event', async () => {
  const flow = await stage.create('JobFlow', { spec: { flows: [step('a')] } });
  const { apiVersion, kind, metadata, spec } = flow.object;
  const { name, namespace = '', uid } = metadata;
  for (const [order, message] of ['first', 'second'].entries()) {
    const operation: EmitEventOperation = {
      ...{ kind: 'emitEvent', type: 'Warning', reason: 'CannotGoOn', action: 'Decide' },
      regarding: { apiVersion, kind, namespace, name, uid },
      ...{ note: message, occurrence: message },
    };
    const reporter = { controller: 'millrace.dev/flow-advance', instance: 'test' };
    await stage.client.create(resources.Event, clusterEvent(operation, reporter, order * 1_000));
  }
  const [first] = explainedKinds;
  const unseen = { apiVersion, kind, metadata, spec };
  const { causes } = await explain(first!, unseen, undefined, surroundings());
  expect(every(causes)).toMatchObject([
    { reason: 'NotSeenYet' },
    { reason: 'CannotGoOn', message: 'second', source: 'Event CannotGoOn' },
  ]);
});

it('everything that waits is listed, and what goes on is not', async () => {
  const runs = await stage.create('JobFlow', { spec: { flows: [step('a')] } });
  await untilReasons(runs, []);
  const all = await explainAll('default', surroundings());
  const names = all.map(({ object }) => object.name);
  expect(names).not.toContain(runs.object.metadata.name);
  expect(all.length).toBeGreaterThan(5);
  expect(all.every(({ waits }) => waits)).toBe(true);
});

it('a time is shown on the clock of the reader and in UTC', () => {
  const object = { kind: 'Job', namespace: 'default', name: 'etl' };
  const held = { object, reason: 'WindowClosed', message: 'held', source: 's', because: [] };
  const explanation: Explanation = {
    ...{ object, state: 'Suspended', waits: true, next: 'kubectl get jobs' },
    causes: [{ ...held, until: '2026-11-28T19:00:00Z' }],
  };
  expect(explanationText(explanation, 'Europe/Berlin')).toEqual([
    'Job default/etl: Suspended, does not continue',
    '  WindowClosed: held, until Sat, 28 Nov 2026, 20:00:00 CET = 2026-11-28T19:00:00Z (s)',
    'next: kubectl get jobs',
  ]);
});
