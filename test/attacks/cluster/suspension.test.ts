/** Attacks on suspended work, by its submitter and by events around Millrace. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { annotations, labels as childLabels } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { newPair } from '#shared/runtime/testing/certificate-folder.ts';
import { kubectlWith, type KubectlResult } from '#test/support/control-plane/kubectl.ts';
import { worstPolicy, worstSteps } from '#test/support/costs/worst-objects.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, has, step, untilEnded } from '#test/support/flow-world.ts';
import { holdQuota } from '#test/support/held-quota.ts';
import { startMillraceForTests } from '#test/support/millrace.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';
import {
  registerSuspendAdmission,
  type RegisteredSuspendAdmission,
} from '#test/support/suspension/suspend-webhooks.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

const queueLabel = 'kueue.x-k8s.io/queue-name';
const gated = { [queueLabel]: 'q' };
const hour = 3_600_000;

describeFlows('attacks on what is suspended', (suite) => {
  let world: FlowWorld;
  let admissions: RegisteredSuspendAdmission;
  /** A user who may do everything with Jobs and flows, and nothing else. */
  const asBob = (args: readonly string[], manifest?: object): Promise<KubectlResult> =>
    kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig)(
      ['--namespace', world.namespace, '--as', 'bob', ...args],
      manifest === undefined ? {} : { input: JSON.stringify(manifest) },
    );
  const create = (manifest: object) => asBob(['create', '-f', '-'], manifest);
  const patch = (what: string, change: JsonObject, ...flags: readonly string[]) =>
    asBob(['patch', ...what.split(' '), ...flags, '--type=merge', '-p', JSON.stringify(change)]);
  const labelled = (name: string) => {
    const plain = flow(name, [step('a')]);
    return { ...plain, metadata: { name, labels: gated }, spec: { ...plain.spec, suspend: false } };
  };
  const closed = async (name: string) => {
    const selector = { matchLabels: { case: name } };
    await world.apply(suspendPolicy(name, { selector, schedule: openDuring() }));
    const isKnown = () =>
      admissions.policies
        .all()
        .some(({ metadata }) => metadata.namespace === world.namespace && metadata.name === name);
    await expect.poll(isKnown).toBe(true);
    return { labels: { case: name } };
  };

  beforeAll(async () => {
    world = await suite.world('suspension');
    admissions = await registerSuspendAdmission({
      kubectl: suite.cluster.kubectl,
      kubeconfig: suite.cluster.kubeconfigs['suspend-admission'] ?? '',
      namespace: world.namespace,
    });
    const resources = ['jobs.batch', 'jobs.batch/status'];
    const flows = ['jobflows.api.practice.com', 'jobflows.api.practice.com/status'];
    const all = `--resource=${[...resources, ...flows].join()}`;
    const verbs = '--verb=get,list,watch,create,update,patch,delete';
    await world.kubectl(['create', 'role', 'bob', verbs, all]);
    await world.kubectl(['create', 'rolebinding', 'bob', '--role=bob', '--user=bob']);
    const { namespace } = world;
    const right = ['create', 'jobs.batch'] as const;
    await untilAuthorized(suite.cluster.kubectl, { user: 'bob', namespace, right });
  });
  afterAll(() => admissions.stop());

  it('#62 goes on with the flows of others beside the costliest objects of one namespace', async () => {
    const attacker = await suite.world('costly');
    const { windows, exceptions, timeZone } = worstPolicy().schedule ?? { timeZone: 'UTC' };
    const windowsAlone = suspendPolicy('windows', {
      schedule: { timeZone, windows: windows ?? [] },
    });
    const everything = omit(worstPolicy(), 'namespaceSelector');
    const most = flow('most', []);
    await Promise.all([
      attacker.apply(windowsAlone),
      attacker.apply(suspendPolicy('everything', everything)),
      attacker.apply({ ...most, spec: { flows: worstSteps() } }),
      world.apply(flow('small', [step('a'), step('b', { after: ['a'] })])),
    ]);
    expect(exceptions).toHaveLength(128);
    const { status } = await world.untilState('small', 'Succeed');
    expect(status?.state).toBe('Succeed');
  });

  it('#22 starts nothing that is gated, whatever it says when it is created', async () => {
    expect(await create(labelled('gated-flow'))).toMatchObject({ code: 0 });
    const job = batchJob('gated-job', { labels: gated, job: { suspend: false } });
    expect(await create(job)).toMatchObject({ code: 0 });
    await world.untilState('gated-flow', 'Suspended');
    await world.untilJob('gated-job', 'is Suspended', (seen) => has(seen, 'Suspended'));
    expect(await world.namesEverCreated()).not.toContain('gated-flow-a');
  });

  it('#22 lets no user resume a gated Job, nor take its label away at once', async () => {
    expect(await create(labelled('kept'))).toMatchObject({ code: 0 });
    const resume = { spec: { suspend: false } };
    expect((await patch('mjf kept', resume)).stderr).toContain('bob may not admit Workloads');
    const escape = { ...resume, metadata: { labels: { [queueLabel]: null } } };
    expect((await patch('mjf kept', escape)).stderr).toContain('field is immutable');
    await world.untilState('kept', 'Suspended');
  });

  it('#22 suspends again what leaves its queue into a namespace that is closed', async () => {
    const { labels } = await closed('shut');
    const job = batchJob('leaves', { labels: { ...labels, ...gated } });
    expect(await create(job)).toMatchObject({ code: 0 });
    const leave = { metadata: { labels: { [queueLabel]: null } }, spec: { suspend: true } };
    expect(await patch('job leaves', leave)).toMatchObject({ code: 0 });
    expect(await patch('job leaves', { spec: { suspend: false } })).toMatchObject({ code: 0 });
    await world.untilJob(
      'leaves',
      'is held by the policy',
      ({ spec, metadata }) =>
        spec.suspend === true && metadata.annotations?.[annotations.suspendedBy] !== undefined,
    );
  });

  it('#22 leaves no way past a policy in one write, nor by a forged mark', async () => {
    const { labels } = await closed('held');
    expect(await create(batchJob('etl', { labels }))).toMatchObject({ code: 0 });
    const mark = world.until('it is marked', () => world.job('etl')?.metadata.annotations);
    const { [annotations.suspendedBy]: written = '' } = await mark;
    const forged = batchJob('forged', {
      labels,
      annotations: { [annotations.suspendedBy]: written },
    });
    // It is suspended all the same, so that the mark is true.
    await create(forged);
    await world.untilJob('forged', 'is Suspended', (job) => has(job, 'Suspended'));
    for (const change of [
      { metadata: { annotations: { [annotations.suspendedBy]: null } }, spec: { suspend: false } },
      { metadata: { labels: { case: null } }, spec: { suspend: false } },
      { metadata: { annotations: { [annotations.held]: '{"since":"2000-01-01T00:00:00Z"}' } } },
    ]) {
      expect(await patch('job etl', change)).toMatchObject({ code: 1 });
    }
    expect(world.job('etl')?.spec.suspend).toBe(true);
  });

  it('#22 names what pretends to belong to a flow, and holds what only has the label of a child', async () => {
    await world.apply(flow('parent', [step('a', { runFor: untilEnded })]));
    await world.untilRunning('parent-a');
    const labels = { case: 'pretend' };
    const owned = (name: string, uid: string) => {
      const job = batchJob(name, { labels });
      const owner = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', name: 'parent' };
      const metadata = { ...job.metadata, ownerReferences: [{ ...owner, uid, controller: true }] };
      return { ...job, metadata };
    };
    const labelled = batchJob('labelled', {
      labels: { ...labels, [childLabels.ownerUid]: world.uidOf('parent') },
    });
    for (const manifest of [owned('owned', world.uidOf('parent')), labelled]) {
      expect(await create(manifest)).toMatchObject({ code: 0 });
    }
    await world.untilRunning('labelled');
    await closed('pretend');
    await world.untilJob('labelled', 'is held', ({ spec }) => spec.suspend === true);
    const policy = async () =>
      (await world.api.get('SuspendPolicy', { namespace: world.namespace, name: 'pretend' })) as
        SuspendPolicy | undefined;
    await expect
      .poll(async () => (await policy())?.status)
      .toMatchObject({ untouched: 1, leftAlone: [`Job/${world.namespace}/owned (Owned)`] });
    // The garbage collector handles an owner that does not exist.
    await create(owned('dangling', '00000000-0000-0000-0000-000000000000'));
    await world.until('it is collected', () => world.job('dangling') === undefined);
    expect(await world.namesEverCreated()).toContain('dangling');
  });

  it('#23 believes no admission that a tenant writes', async () => {
    expect(await create(labelled('pretender'))).toMatchObject({ code: 0 });
    await world.untilState('pretender', 'Suspended');
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const conditions = ['QuotaReserved', 'Admitted'].map((type) => ({
      ...{ type, status: 'True', reason: 'Admitted', message: 'forged', lastTransitionTime },
    }));
    await patch('mjf pretender', { status: { conditions } }, '--subresource=status');
    const admitted = { 'kueue.x-k8s.io/workload': 'forged', 'kueue.x-k8s.io/managed': 'true' };
    await patch('mjf pretender', { metadata: { annotations: admitted, labels: admitted } });
    expect((await patch('mjf pretender', { spec: { suspend: false } })).stderr).toContain(
      'bob may not admit Workloads',
    );
    await world.untilState('pretender', 'Suspended');
    expect(await world.namesEverCreated()).not.toContain('pretender-a');
  });

  it('#44 bounds the flows of a tenant by a quota of its namespace, and goes on with those of others', async () => {
    const [tenant, other] = await Promise.all([suite.world('attack-44'), suite.world('other-44')]);
    const resource = 'count/jobflows.api.practice.com';
    const trial = flow('trial', [step('a')]);
    await holdQuota(tenant, { name: 'flows', resource, most: 30, trial });
    const attempts = Array.from({ length: 60 }, (_, index) =>
      tenant.apply(flow(`f-${index}`, [step('a', { runFor: untilEnded })])),
    );
    const settled = await Promise.allSettled(attempts);
    const refusals = settled.flatMap((each) =>
      each.status === 'rejected' ? [String(each.reason)] : [],
    );
    expect(refusals).toHaveLength(30);
    expect(refusals[0]).toContain('exceeded quota: flows');
    await other.apply(flow('calm', [step('a'), step('b', { after: ['a'] })]));
    await other.untilState('calm', 'Succeed');
  });

  it('#45 lets a namespace with policies go as soon as it is back', async () => {
    const leaving = await suite.world('policies-45');
    const { namespace } = leaving;
    await leaving.apply(suspendPolicy('kept', { schedule: openDuring() }), batchJob('etl'));
    await leaving.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
    await suite.stopMillrace();
    const found = () => suite.api().get('Namespace', { namespace: '', name: namespace });
    await suite.api().delete('Namespace', { namespace: '', name: namespace });
    await suite.startMillrace();
    await expect.poll(found).toBe(undefined);
  });

  it('#46 resumes held objects although its certificate is not trusted, and lets no mark be taken', async () => {
    const { labels } = await closed('expired');
    await world.apply(batchJob('patient', { labels }));
    await world.untilJob('patient', 'is Suspended', (job) => has(job, 'Suspended'));
    const next = newPair();
    await admissions.trust(next.cert);
    const strip = { metadata: { annotations: { [annotations.suspendedBy]: null } } };
    await expect
      .poll(async () => (await patch('job patient', strip)).stderr)
      .toContain('failed calling webhook "suspension-mark.millrace.dev"');
    const open = openDuring([Date.now() - hour, Date.now() + hour]);
    await world.patch('SuspendPolicy', 'expired', { spec: { schedule: open } });
    await world.untilRunning('patient');
    await admissions.served.folder.swap(next);
    await admissions.served.certificate.reread();
    const forged = batchJob('fake', { annotations: { [annotations.suspendedBy]: 'a/0' } });
    expect((await create(forged)).stderr).toContain('only suspend policies write this');
  });

  it('#47 changes nothing by a dry run', async () => {
    const selector = { matchLabels: { case: 'dry' } };
    await world.apply(suspendPolicy('dry', { selector, capacity: { maxJobs: 1 } }));
    const status = async () =>
      (await world.api.get('SuspendPolicy', { namespace: world.namespace, name: 'dry' })) as
        SuspendPolicy | undefined;
    await expect.poll(async () => (await status())?.status?.held).toBe(0);
    const dry = batchJob('tried', { labels: { case: 'dry' } });
    for (let index = 0; index < 3; index += 1) {
      await asBob(['create', '--dry-run=server', '-f', '-'], dry);
    }
    const real = await asBob(
      ['create', '-o', 'jsonpath={.spec.suspend}', '-f', '-'],
      batchJob('meant', { labels: { case: 'dry' } }),
    );
    expect(real.stdout).toBe('false');
    expect(await world.namesEverCreated()).not.toContain('tried');
  });

  it('#52 removes its finalizer once, and no other, although one of two replicas is stopped', async () => {
    const second = await startMillraceForTests({
      cluster: suite.cluster,
      redisUrl: suite.redis().url,
    });
    const twice = await suite.world('attack-52');
    const target = { namespace: twice.namespace, name: 'shared' };
    await twice.apply(suspendPolicy('shared', { schedule: openDuring() }));
    const names = Array.from({ length: 20 }, (_, index) => `job-${index}`);
    await twice.apply(...names.map((name) => batchJob(name)));
    await twice.until(
      'all are held',
      () =>
        twice.jobs().every(({ spec }) => spec.suspend === true) &&
        twice.jobs().length === names.length,
    );
    const before = await twice.api.get('SuspendPolicy', target);
    const finalizers = [...(before?.metadata.finalizers ?? []), 'example.com/other'];
    await twice.patch('SuspendPolicy', 'shared', { metadata: { finalizers } });
    await twice.delete('SuspendPolicy', 'shared');
    await second.stop();
    await twice.until('all are resumed', () =>
      twice.jobs().every(({ spec }) => spec.suspend !== true),
    );
    await expect
      .poll(async () => (await twice.api.get('SuspendPolicy', target))?.metadata.finalizers, {
        timeout: 20_000,
      })
      .toEqual(['example.com/other']);
    await twice.patch('SuspendPolicy', 'shared', { metadata: { finalizers: [] } });
  });
});
