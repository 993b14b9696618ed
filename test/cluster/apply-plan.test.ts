import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { hasCode } from '#shared/domain/errors.ts';
import { asUid, type KubeObject } from '#shared/domain/objects.ts';
import type { CreateOperation, Plan } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { applyPlan, type ApplyContext, type ApplyOutcome } from '#shared/kube/apply-plan.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterEvent } from '#shared/kube/cluster-event.ts';
import {
  type ClusterClient,
  createFlow,
  freshNamespace,
  openClient,
  unmanagedJob,
} from '#test/support/cluster-client.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { Crashed, faultKinds, FaultyClient } from '#test/support/faulty-client.ts';
import { holdQuota } from '#test/support/held-quota.ts';
import { startLossyProxy } from '#test/support/lossy-proxy.ts';
import { describeWithCluster } from '#test/support/require.ts';

const { Job, JobFlow, Event, Namespace } = resources;
const fieldManager = 'millrace.dev/flow-advance';

describeWithCluster('a plan', (cluster) => {
  let admin: ClusterClient;
  let client: KubeClient;
  let namespace: string;
  let flow: KubeObject;

  beforeAll(async () => {
    admin = await openClient(cluster.kubeconfig, 'apply-plan-test');
  });
  beforeEach(async () => {
    ({ client } = admin);
    namespace = await freshNamespace(admin.client, 'plan');
    flow = await createFlow(admin.client, namespace, 'flow');
  });
  afterAll(() => admin[Symbol.asyncDispose]());

  const apply = (plan: Plan, through: KubeClient = client): Promise<ApplyOutcome> =>
    applyPlan(plan, { client: through, fieldManager, instance: 'test', clock: { now: Date.now } });
  const named = (name: string) => ({ namespace, name });
  const get = (name: string): Promise<KubeObject | undefined> => client.get(Job, named(name));
  const create = (name: string, owner = flow): CreateOperation => ({
    kind: 'create',
    resource: resources.Job,
    object: unmanagedJob(name, owner),
    ownerUid: owner.metadata.uid,
  });
  const status = (owner = flow) =>
    ({
      kind: 'patchStatus',
      resource: resources.JobFlow,
      target: named('flow'),
      uid: owner.metadata.uid,
      resourceVersion: owner.metadata.resourceVersion,
      status: { observedGeneration: 7 },
    }) as const;
  const label = (target: string, of: KubeObject) =>
    ({
      kind: 'patch',
      resource: resources.Job,
      target: named(target),
      uid: of.metadata.uid,
      patch: { metadata: { labels: { touched: 'yes' } } },
    }) as const;
  const remove = (target: string, of: KubeObject) =>
    ({
      kind: 'delete',
      resource: resources.Job,
      target: named(target),
      uid: of.metadata.uid,
      propagation: 'Background',
    }) as const;
  const event = (note: string) =>
    ({
      kind: 'emitEvent',
      regarding: {
        apiVersion: flow.apiVersion,
        kind: flow.kind,
        ...named('flow'),
        uid: flow.metadata.uid,
      },
      type: 'Normal',
      reason: 'Started',
      action: 'Start',
      note,
      occurrence: '1',
    }) as const;
  const createJob = (name: string): Promise<KubeObject> =>
    client.create(Job, unmanagedJob(name, flow));
  const notesOf = async (): Promise<readonly unknown[]> =>
    (await client.list(Event, { namespace })).items
      .filter(
        (item) => (item as { reportingComponent?: string }).reportingComponent === fieldManager,
      )
      .map((item) => (item as { message?: string }).message);

  it('applied twice is applied once: the second time everything is adopted', async () => {
    const doomed = await createJob('doomed');
    const plan: Plan = [[create('a'), create('b'), remove('doomed', doomed)], [event('hello')]];
    const first = await apply(plan);
    expect(first.kind).toBe('applied');
    expect(first.writes.map((write) => write.done)).toEqual([
      'create',
      'create',
      'delete',
      'emitEvent',
    ]);
    const created = await get('a');
    const second = await apply(plan);
    expect(second.writes.map((write) => write.done)).toEqual(['adopt', 'adopt', 'gone', 'adopt']);
    expect((await get('a'))?.metadata).toEqual(created?.metadata);
    expect(await notesOf()).toEqual(['hello']);
  });

  it('never touches a foreign object of the same name and reports the conflict of names', async () => {
    const other = await createFlow(admin.client, namespace, 'other');
    await client.create(Job, unmanagedJob('a', other));
    const outcome = await apply([[create('a'), create('b')], [status()]]);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'a', code: 'NameConflict' }],
      writes: [{ done: 'create', name: 'b' }],
    });
    expect(await client.get(JobFlow, named('flow'))).not.toHaveProperty('status');
  });

  it('adopts its own object while that is being deleted, and creates it anew afterwards', async () => {
    const finalizers = ['test.millrace.dev/hold'];
    const held = await client.create(Job, unmanagedJob('a', flow, { finalizers }));
    await client.delete(Job, named('a'), { propagation: 'Background' });
    const meanwhile = await apply([[create('a')]]);
    expect(meanwhile.writes.map(({ done, uid }) => [done, uid])).toEqual([
      ['adopt', held.metadata.uid],
    ]);
    const patch = { metadata: { uid: held.metadata.uid, finalizers: null } };
    await client.patch(Job, named('a'), patch, { type: 'merge' });
    const afterwards = await apply([[create('a')]]);
    expect(afterwards.writes.map(({ done }) => done)).toEqual(['create']);
  });

  it('leaves the object alone that took the place of the one it means', async () => {
    const before = await createJob('a');
    await client.delete(Job, named('a'), { propagation: 'Background' });
    const after = await createJob('a');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    const outcome = await apply([[label('a', before), remove('a', before)]]);
    expect(outcome.kind).toBe('applied');
    expect(outcome.writes.map((write) => write.done)).toEqual(['gone', 'gone']);
    expect((await get('a'))?.metadata.labels).not.toHaveProperty('touched');
  });

  it('takes a vanished object as done', async () => {
    const before = await createJob('a');
    await client.delete(Job, named('a'), { propagation: 'Background' });
    await client.delete(JobFlow, named('flow'), { propagation: 'Background' });
    const outcome = await apply([[label('a', before), remove('a', before), status()]]);
    expect(outcome.writes.map((write) => write.done)).toEqual(['gone', 'gone', 'gone']);
  });

  it('is in conflict when the owner changed since the decision, and its Events wait', async () => {
    const touched = { metadata: { labels: { touched: 'yes' } } };
    await client.patch(JobFlow, named('flow'), touched, { type: 'merge' });
    const outcome = await apply([[create('a')], [status()], [event('too early')]]);
    expect(outcome).toMatchObject({ kind: 'conflict', writes: [{ done: 'create' }] });
    expect(await notesOf()).toEqual([]);
  });

  it('writes no status onto a new owner of the same name', async () => {
    await client.delete(JobFlow, named('flow'));
    await createFlow(admin.client, namespace, 'flow');
    expect((await apply([[status()]])).kind).toBe('conflict');
    expect(await client.get(JobFlow, named('flow'))).not.toHaveProperty('status');
  });

  it('names what the server refuses: an invalid object, and nothing later is done', async () => {
    const invalid = create('bad');
    const object = { ...invalid.object, spec: { template: { spec: { containers: [] } } } };
    const outcome = await apply([[{ ...invalid, object }], [create('later')]]);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'bad', code: 'Invalid' }],
    });
    expect(await get('later')).toBeUndefined();
  });

  it('names what the server refuses: an exceeded quota', async () => {
    const trial = create('trial').object;
    const kubectl = (args: readonly string[], input = '') =>
      kubectlOrThrow(cluster.kubectl, ['-n', namespace, ...args], { input });
    const resource = 'count/jobs.batch';
    await holdQuota({ kubectl }, { name: 'none', resource, most: 0, trial });
    const outcome = await apply([[create('a')]]);
    expect(outcome).toMatchObject({ rejections: [{ name: 'a', code: 'QuotaExceeded' }] });
  });

  it('names what the server refuses: a missing permission', async () => {
    await using powerless = await openClient(
      cluster.kubeconfigs['dispatcher'] ?? '',
      'apply-plan-test',
    );
    const outcome = await apply([[create('a')]], powerless.client);
    expect(outcome).toMatchObject({ rejections: [{ name: 'a', code: 'Forbidden' }] });
  });

  it('names what the server refuses: a webhook without an answer', async () => {
    const name = `silent-${namespace}`;
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [
        {
          name: 'silent.example.com',
          clientConfig: { url: 'https://127.0.0.1:9/review' },
          rules: [
            {
              apiGroups: ['batch'],
              apiVersions: ['v1'],
              resources: ['jobs'],
              operations: ['CREATE'],
            },
          ],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
        },
      ],
    };
    const input = JSON.stringify(configuration);
    await kubectlOrThrow(cluster.kubectl, ['create', '-f', '-'], { input });
    onTestFinished(async () => {
      await cluster.kubectl(['delete', 'validatingwebhookconfiguration', name]);
    });
    // The API server notices it a moment later.
    const refused = await vi.waitFor(async () => {
      const outcome = await apply([[create('a')]]);
      if (outcome.kind === 'applied') {
        await client.delete(Job, named('a'), { propagation: 'Background' });
      }
      expect(outcome.kind).toBe('rejected');
      return outcome;
    });
    expect(refused).toMatchObject({
      rejections: [
        {
          ...{ name: 'a', code: 'Refused' },
          message: expect.stringContaining('failed calling webhook') as unknown,
        },
      ],
    });
  });

  it('names what the server refuses: a namespace that is going away', async () => {
    const finalizers = ['test.millrace.dev/hold'];
    const held = await client.create(Job, unmanagedJob('held', flow, { finalizers }));
    await client.delete(Namespace, { namespace: '', name: namespace });
    const outcome = await apply([[create('a')]]);
    expect(outcome).toMatchObject({ rejections: [{ name: 'a', code: 'Refused' }] });
    const patch = { metadata: { uid: held.metadata.uid, finalizers: null } };
    await client.patch(Job, named('held'), patch, { type: 'merge' });
  });

  it('does not fail when only an Event is refused, and says so', async () => {
    const broken = { ...event('x'), reason: '' };
    const outcome = await apply([[broken]]);
    expect(outcome.kind).toBe('applied');
    expect(outcome.notes).toHaveLength(1);
  });

  it('writes Events as the API server wants them, also with texts that are too long', async () => {
    const outcome = await apply([[event('n'.repeat(3000))]]);
    expect(outcome).toMatchObject({ kind: 'applied', notes: [], writes: [{ done: 'emitEvent' }] });
  });

  it('writes Events that kubectl lists in the order in which they happened', async () => {
    const hour = { first: 3_600_000, second: 7_200_000, third: 10_800_000 };
    // This is neither the order of creation nor that of the names.
    for (const [note, atMs] of [
      ['second', hour.second],
      ['third', hour.third],
      ['first', hour.first],
    ] as const) {
      const operation = { ...event(note), occurrence: note };
      const reporter = { controller: fieldManager, instance: 'test' };
      await client.create(Event, clusterEvent(operation, reporter, atMs));
    }
    const inOrder = ['first', 'second', 'third'];
    const sorted = ['get', 'events', '-n', namespace, '--sort-by=.lastTimestamp'];
    const listed = await kubectlOrThrow(cluster.kubectl, [
      ...sorted,
      '-o=jsonpath={.items[*].message}',
    ]);
    expect(listed.split(' ')).toEqual(inOrder);
    const { kind, name } = event('x').regarding;
    const about = await kubectlOrThrow(cluster.kubectl, ['describe', kind, name, '-n', namespace]);
    expect(about.match(/\b(first|second|third)$/gm)).toEqual(inOrder);
    expect(about).not.toContain('<unknown>');
  });

  it('creates many objects of one stage', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `job-${index}`);
    const outcome = await apply([names.map((name) => create(name))]);
    expect(outcome.writes.map((write) => write.name)).toEqual(names);
  });

  it('throws a refused status, since deciding again would not change it', async () => {
    const bad = { ...status(), status: { observedGeneration: 'no number' } };
    expect(await apply([[bad]])).toMatchObject({
      kind: 'failed',
      error: { code: 'MR_API_INVALID' },
    });
  });

  it('ends in the same state when any one of its writes fails in any way', async () => {
    const wanted = await endState(await trace());
    const total = wanted.asked;
    expect(total).toBe(7);
    for (let write = 1; write <= total; write += 1) {
      for (const fault of faultKinds) {
        namespace = await freshNamespace(admin.client, 'plan');
        flow = await createFlow(admin.client, namespace, 'flow');
        const faulty = new FaultyClient(admin.client, { write, fault });
        const { objects } = await endState(await trace(faulty));
        expect(faulty.fired, `write ${write}, ${fault}`).toBe(1);
        const isOnlyEvent = faulty.writes[write - 1]?.plural === 'events' && !faulty.crashed;
        const expected = isOnlyEvent
          ? { ...wanted.objects, notes: objects['notes'] }
          : wanted.objects;
        expect(objects, `write ${write}, ${fault}`).toEqual(expected);
      }
    }
  });

  it('is completed by applying it again when the network loses the reply of every write once', async () => {
    await using lossy = await startLossyProxy(admin.connection);
    const doomed = await createJob('doomed');
    const kept = await createJob('kept');
    const plan: Plan = [
      [create('a')],
      [remove('doomed', doomed)],
      [label('kept', kept)],
      [event('done')],
    ];
    const outcomes: string[] = [];
    while (outcomes.at(-1) !== 'applied') {
      const outcome = await apply(plan, lossy.client);
      const isLost = outcome.kind === 'failed' && hasCode(outcome.error, 'MR_API_UNREACHABLE');
      outcomes.push(isLost ? 'lost' : outcome.kind);
    }
    // The reply to the Event is lost too, which fails no plan.
    expect(outcomes).toEqual(['lost', 'lost', 'lost', 'applied']);
    expect(lossy.lostReplies()).toBe(4);
    const jobs = (await client.list(Job, { namespace })).items;
    expect(jobs.map(({ metadata }) => metadata.name).sort()).toEqual(['a', 'kept']);
    expect((await get('kept'))?.metadata.labels).toMatchObject({ touched: 'yes' });
    expect(await notesOf()).toEqual(['done']);
  });

  /** A small controller: reads and decides again until its plan is applied. */
  async function trace(faulty = new FaultyClient(admin.client)): Promise<FaultyClient> {
    const doomed = await createJob('doomed');
    const kept = await createJob('kept');
    let through: KubeClient = faulty;
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const owner = (await client.get(JobFlow, named('flow'))) ?? flow;
      const plan: Plan = [
        [create('a'), create('b'), create('c'), remove('doomed', doomed), label('kept', kept)],
        [status(owner)],
        [event('done')],
      ];
      const outcome = await apply(plan, through);
      if (outcome.kind === 'applied') return faulty;
      if (outcome.kind !== 'failed') continue;
      const { error } = outcome;
      const mayPass = hasCode(error, 'MR_API_UNREACHABLE') || hasCode(error, 'MR_API_RETRYABLE');
      if (!(error instanceof Crashed) && !mayPass) throw error as Error;
      if (faulty.crashed) through = admin.client;
    }
    throw new Error('three attempts did not apply the plan');
  }

  async function endState(
    faulty: FaultyClient,
  ): Promise<{ readonly asked: number; readonly objects: Readonly<Record<string, unknown>> }> {
    const { items } = await client.list(Job, { namespace });
    const owner = await client.get(JobFlow, named('flow'));
    return {
      asked: faulty.writes.length,
      objects: {
        jobs: items.map(({ metadata }) => [metadata.name, metadata.labels?.['touched']]).sort(),
        status: owner?.status,
        notes: await notesOf(),
      },
    };
  }

  it('adopts only by the uid of the controller, never by a label or a name', async () => {
    const plain: ApplyContext['client'] = client;
    const labelled = unmanagedJob('a', flow, { labels: { 'millrace.dev/flow': 'flow' } });
    const { ownerReferences: owners = [], ...metadata } = labelled.metadata;
    const notController = owners.map((owner) => ({ ...owner, controller: false }));
    await plain.create(Job, {
      ...labelled,
      metadata: { ...metadata, ownerReferences: notController },
    });
    const outcome = await apply([[create('a')]]);
    expect(outcome).toMatchObject({ rejections: [{ name: 'a', code: 'NameConflict' }] });
    expect(asUid(String((await get('a'))?.metadata.ownerReferences?.[0]?.uid))).toBe(
      flow.metadata.uid,
    );
  });
});
