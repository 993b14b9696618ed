/** Causes that end a running Pod from outside: evictions, taints, priority. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { ending, job, pod } from './samples.ts';

const held = { finalizers: ['x.test/held'] };
const release = { metadata: { finalizers: null } };

const eviction = (name: string, more: JsonObject = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...more,
});

const evict = (s: Session, name: string, more: JsonObject = {}, query = {}) =>
  s.call('POST', s.path('Pod', name, { sub: 'eviction' }), { body: eviction(name, more), query });

/** For a Pod with a generated name. */
const evictAside = (s: Session, name: string) =>
  s.aside('POST', s.path('Pod', name, { sub: 'eviction' }), { body: eviction(name) });

const merge = (s: Session, path: string, body: JsonObject) =>
  s.aside('PATCH', path, { headers: { 'content-type': 'application/merge-patch+json' }, body });

interface Status {
  readonly phase?: string;
  readonly active?: number;
  readonly failed?: number;
  readonly ready?: number;
  readonly conditions?: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

const statusOf = (it: Seen | undefined): Status => (it?.status ?? {}) as Status;

const isDeleted = (it: Seen | undefined): boolean =>
  it?.metadata['deletionTimestamp'] !== undefined;

function disruption(it: Seen | undefined): unknown {
  const found = statusOf(it).conditions?.find(({ type }) => type === 'DisruptionTarget');
  return { status: found?.['status'], reason: found?.['reason'], message: found?.['message'] };
}

const ignoring = {
  podFailurePolicy: {
    rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }],
  },
};

/** A Job with one running Pod. Returns the Pod's name. */
async function running(s: Session, spec: JsonObject): Promise<string> {
  await s.create(job('a', { backoffLimit: 0, template: ending(60, 0), ...spec }));
  await s.until('Job', 'a', (it) => statusOf(it).ready === 1);
  const { body } = await s.aside('GET', s.path('Pod'));
  return body.items![0]!.metadata.name;
}

/** A node for this script alone. Only Pods that name it run on it. */
async function ownNode(s: Session, allocatable?: JsonObject): Promise<string> {
  const name = s.own('node');
  const taints = [{ key: 'x.test/own', value: 'yes', effect: 'NoSchedule' }];
  await s.aside('POST', s.path('Node'), {
    body: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'x.test/own': s.ns } },
      spec: { taints },
      ...(allocatable === undefined ? {} : { status: { allocatable, capacity: allocatable } }),
    },
  });
  await s.until('Node', name, (it) =>
    statusOf(it).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
      ? ((it?.spec?.['taints'] ?? []) as unknown[]).length === 1
      : false,
  );
  return name;
}

const ownTolerations = [{ key: 'x.test/own', operator: 'Exists' }];

export const disruptionScripts = family('disruptions', {
  'an evicted Pod has a condition that says so': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }, held));
    await evict(s, 'a');
    await s.read('Pod', 'a');
    await s.patch('Pod', 'a', 'merge', release);
  },
  'a Pod without a node is evicted': async (s) => {
    const watch = await s.watch('Pod');
    await s.create(pod('a'));
    await evict(s, 'a');
    await s.untilGone('Pod', 'a');
    await watch.take(4);
  },
  'an eviction that is a dry run changes nothing': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }));
    await evict(s, 'a', {}, { dryRun: 'All' });
    await s.read('Pod', 'a');
    await evict(s, 'a', { deleteOptions: { dryRun: ['All'] } });
    await s.read('Pod', 'a');
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 0 } });
  },
  'an eviction has the options of a deletion': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }, held));
    const preconditions = { uid: '00000000-0000-0000-0000-000000000001' };
    await evict(s, 'a', { deleteOptions: { preconditions } });
    await s.read('Pod', 'a');
    await evict(s, 'a', { deleteOptions: { gracePeriodSeconds: 5 } });
    await s.read('Pod', 'a');
    await s.patch('Pod', 'a', 'merge', release);
  },
  'an eviction names its Pod': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }));
    await evict(s, 'a', { metadata: { name: 'b' } });
    await evict(s, 'none');
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 0 } });
  },
  'a Pod on its way out is evicted once more': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }, held));
    await s.delete('Pod', 'a');
    await evict(s, 'a');
    await s.read('Pod', 'a');
    await s.patch('Pod', 'a', 'merge', release);
  },
  'an eviction fails a Job that allows no failure': async (s) => {
    await evictAside(s, await running(s, {}));
    const it = await s.until('Job', 'a', (seen) => statusOf(seen).failed === 1);
    s.note('failed', statusOf(it).failed);
    const ended = await s.until(
      'Job',
      'a',
      (seen) => statusOf(seen).conditions?.some(({ type }) => type === 'Failed') === true,
    );
    s.note(
      'conditions',
      statusOf(ended).conditions?.map(({ type, status, reason }) => [type, status, reason]),
    );
  },
  'an eviction does not count for a Job that ignores disruptions': async (s) => {
    const name = await running(s, ignoring);
    const finalizers = ['batch.kubernetes.io/job-tracking', ...held.finalizers];
    await merge(s, s.path('Pod', name), { metadata: { finalizers } });
    await evictAside(s, name);
    const ended = await s.until('Pod', name, (it) => statusOf(it).phase === 'Failed');
    s.note('condition', disruption(ended));
    await s.until('Pod', name, (it) => it?.metadata.finalizers?.length === 1);
    await merge(s, s.path('Pod', name), release);
    await s.untilGone('Pod', name);
    const it = await s.until('Job', 'a', (seen) => statusOf(seen).ready === 1);
    const { failed = 0, conditions = [] } = statusOf(it);
    s.note('went on', { failed, conditions });
    await s.aside('DELETE', s.path('Job', 'a'), { query: { propagationPolicy: 'Background' } });
  },
  'a Pod that a taint drives out has a condition that says so': async (s) => {
    const nodeName = await ownNode(s);
    await s.create(pod('a', { nodeName, tolerations: ownTolerations }, { ...held }));
    await s.until('Pod', 'a', (it) => statusOf(it).phase === 'Running');
    await merge(s, s.path('Node', nodeName), {
      spec: { taints: [{ key: 'x.test/away', effect: 'NoExecute' }] },
    });
    s.note('condition', disruption(await s.until('Pod', 'a', isDeleted)));
    await merge(s, s.path('Pod', 'a'), release);
    await s.untilGone('Pod', 'a');
    await s.aside('DELETE', s.path('Node', nodeName));
  },
  'a Pod of a higher priority takes the place of one of a lower': async (s) => {
    const name = await ownNode(s, { cpu: '1', memory: '1Gi', pods: '10' });
    const [low, high] = [s.own('low'), s.own('high')];
    for (const [className, value] of [
      [low, 1],
      [high, 2],
    ] as const) {
      await s.aside('POST', s.path('PriorityClass'), {
        body: {
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: className },
          value,
        },
      });
    }
    const asking = (priorityClassName: string): JsonObject => ({
      schedulerName: 'default-scheduler',
      priorityClassName,
      tolerations: ownTolerations,
      nodeSelector: { 'x.test/own': s.ns },
      containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '1' } } }],
    });
    await s.create(pod('first', asking(low), held));
    await s.until('Pod', 'first', (it) => statusOf(it).phase === 'Running');
    await s.create(pod('second', asking(high)));
    // A scheduler that cannot preempt has judged the Pod once and waits for room.
    await s.until('Pod', 'second', (it) => statusOf(it).conditions !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { body } = await s.aside('GET', s.path('Pod', 'first'));
    s.note('disrupted', disruption(body));
    await merge(s, s.path('Pod', 'first'), release);
    for (const podName of ['first', 'second']) await s.aside('DELETE', s.path('Pod', podName));
    for (const className of [low, high]) {
      await s.aside('DELETE', s.path('PriorityClass', className));
    }
    await s.aside('DELETE', s.path('Node', name));
  },
});
