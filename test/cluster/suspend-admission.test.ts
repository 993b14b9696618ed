/** Creates and changes under the webhooks of suspend-admission, with Millrace running. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultKueueSettings, type KueueSettings } from '#shared/kueue/kueue-settings.ts';
import { table, unregistered } from '#functions/suspend-admission/testing/kueue-table.ts';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { readHeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { kubectlWith, type KubectlResult } from '#test/support/control-plane/kubectl.ts';
import { describeFlows, type FlowSuite } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, has, step } from '#test/support/flow-world.ts';
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';
import {
  registerSuspendAdmission,
  type RegisteredSuspendAdmission,
} from '#test/support/suspension/suspend-webhooks.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

const queueLabel = 'kueue.x-k8s.io/queue-name';
const hour = 3_600_000;
const night = { name: 'night', open: '0 20 * * *', close: '0 6 * * *' };
const never = { name: 'never', open: '0 0 31 2 *', close: '0 1 31 2 *' };

interface Place {
  readonly world: FlowWorld;
  readonly admissions: RegisteredSuspendAdmission;
}

async function openPlace(suite: FlowSuite, about: string, kueue?: KueueSettings): Promise<Place> {
  const world = await suite.world(about);
  const admissions = await registerSuspendAdmission({
    kubectl: suite.cluster.kubectl,
    kubeconfig: suite.cluster.kubeconfigs['suspend-admission'] ?? '',
    namespace: world.namespace,
    ...(kueue === undefined ? {} : { kueue }),
  });
  return { world, admissions };
}

/** Waits until admission knows the policy, as far as that shows from outside. */
async function untilFollowed({ world, admissions }: Place, name: string): Promise<SuspendPolicy> {
  const isThat = ({ metadata }: SuspendPolicy) =>
    metadata.namespace === world.namespace && metadata.name === name;
  await expect.poll(() => admissions.policies.all().some(isThat)).toBe(true);
  return admissions.policies.all().find(isThat)!;
}

const everSuspended = (world: FlowWorld, name: string) =>
  world
    .jobSightings()
    .filter(({ object }) => object.metadata.name === name)
    .map(({ object }) => object.spec.suspend);

describeFlows('suspend-admission', (suite) => {
  describe("by Kueue's table for external parents", () => {
    const settings = [true, false].flatMap((isRegistered) =>
      [false, true].map((managesUnlabelled) => ({ isRegistered, managesUnlabelled })),
    );
    describe.each(settings)(
      'registered: $isRegistered, manageJobsWithoutQueueName: $managesUnlabelled',
      ({ isRegistered, managesUnlabelled }) => {
        let place: Place;
        beforeAll(async () => {
          const about = `kueue-${isRegistered ? 'known' : 'unknown'}-${managesUnlabelled ? 'all' : 'labelled'}`;
          place = await openPlace(suite, about, {
            ...defaultKueueSettings,
            managesUnlabelled,
            ...(isRegistered ? {} : { frameworks: unregistered }),
          });
        });
        afterAll(() => place.admissions.stop());

        const rows = table.filter((row) => (row.isRegistered ?? true) === isRegistered);
        it.each(rows)('$row', async ({ row, child, parents = [], suspended }) => {
          const { world } = place;
          const name = `row-${table.findIndex((each) => each.row === row)}`;
          const made = parents.map(({ metadata }) =>
            labelled(flow(name, [step('a')], { suspend: true }), metadata.labels),
          );
          const [parent] = await world.apply(...made);
          const ownerReferences = (child.ownerReferences ?? []).map((owner) => ({
            ...owner,
            name,
            uid: owner['uid'] === 'u-0' ? (parent?.metadata.uid ?? 'gone') : owner['uid'],
          }));
          const { labels = {} } = child as { readonly labels?: Readonly<Record<string, string>> };
          const job = batchJob('child', { labels });
          const manifest = { ...job, metadata: { ...job.metadata, ownerReferences } };
          const args = ['create', '--dry-run=server', '-o', 'jsonpath={.spec.suspend}', '-f', '-'];
          const printed = await world.kubectl(args, JSON.stringify(manifest));
          expect(printed).toBe(String(suspended[managesUnlabelled ? 1 : 0]));
        });
      },
    );
  });

  describe('of policies that cannot be followed', () => {
    let place: Place;
    const policyWith = (schedule: object) =>
      suspendPolicy('wrong', {
        schedule: { timeZone: 'Europe/Berlin', windows: [night], ...schedule },
      });
    /** The API server's refusal, by a webhook or a policy. */
    const refusal = async (schedule: object): Promise<string> => {
      const { kubectl } = suite.cluster;
      const args = ['-n', place.world.namespace, 'create', '--dry-run=server', '-f', '-'];
      const { stderr } = await kubectl(args, { input: JSON.stringify(policyWith(schedule)) });
      return stderr;
    };

    beforeAll(async () => {
      place = await openPlace(suite, 'policies');
      const isAsked = async () => {
        expect(await refusal({ windows: [never] })).toContain('policy-validation.millrace.dev');
      };
      await vi.waitFor(isAsked);
    });
    afterAll(() => place.admissions.stop());

    it.each(['Mars/Base', 'Local', '', 'PST', '+01:00'])(
      'refuses the time zone "%s" (scenario 56)',
      async (timeZone) => {
        expect(await refusal({ timeZone })).toContain('spec.schedule.timeZone');
      },
    );

    it('refuses a window that never opens, with the reason, also when it is edited in', async () => {
      const words = 'spec.schedule.windows[0]: the window "never" never opens';
      expect(await refusal({ windows: [never] })).toContain(words);
      const { world } = place;
      await world.apply(policyWith({}));
      const refused = await world.refusalOf(policyWith({ windows: [never] }));
      expect(refused).toMatchObject({
        code: 422,
        message: expect.stringContaining(words) as string,
      });
    });
  });

  describe('under policies', () => {
    let place: Place;
    let world: FlowWorld;
    const as = (user: string, args: readonly string[], manifest?: object): Promise<KubectlResult> =>
      kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig)(
        ['--namespace', world.namespace, '--as', user, ...args],
        manifest === undefined ? {} : { input: JSON.stringify(manifest) },
      );
    const patchAs = (user: string, what: string, patch: JsonObject) =>
      as(user, ['patch', ...what.split(' '), '--type=merge', '-p', JSON.stringify(patch)]);

    beforeAll(async () => {
      place = await openPlace(suite, 'admitted');
      ({ world } = place);
      const resources = 'jobs.batch,jobflows.api.practice.com,daemonjobs.api.practice.com';
      const verbs = 'get,list,watch,create,update,patch,delete';
      await world.kubectl(['create', 'role', 'user', `--verb=${verbs}`, `--resource=${resources}`]);
      await world.kubectl(['create', 'rolebinding', 'user', '--role=user', '--user=bob']);
      const right = ['create', 'jobs.batch'] as const;
      const { namespace } = world;
      await untilAuthorized(suite.cluster.kubectl, { user: 'bob', namespace, right });
    });
    afterAll(() => place.admissions.stop());

    it('a Job never runs while its policy is closed, and is marked as suspend-schedule would', async () => {
      const select = { selector: { matchLabels: { case: 'closed' } } };
      await world.apply(suspendPolicy('closed', { ...select, schedule: openDuring() }));
      const { metadata } = await untilFollowed(place, 'closed');
      const { stderr } = await as(
        'bob',
        ['create', '-f', '-'],
        batchJob('held', { labels: { case: 'closed' } }),
      );
      expect(stderr).toContain(
        `Warning: held by SuspendPolicy/${world.namespace}/closed (WindowClosed)`,
      );
      await world.until('the policy reports it', () => world.job('held'));
      await expect.poll(async () => (await policyStatus(world, 'closed'))?.held).toBe(1);
      const own = world.job('held')?.metadata.annotations ?? {};
      expect(own[annotations.suspendedBy]).toMatch(new RegExp(`^${metadata.uid}/\\d+$`));
      expect(readHeldNote(own[annotations.held])).toMatchObject({
        policy: `SuspendPolicy/${world.namespace}/closed`,
        reason: 'WindowClosed',
      });
      // Admission writes no Events. suspend-schedule reports the hold, and records that it did.
      await expect
        .poll(() => readHeldNote(world.job('held')?.metadata.annotations?.[annotations.held]))
        .not.toHaveProperty('isUntold');
      // The audit log has a write some time later than the watch.
      await vi.waitFor(async () => {
        const held = { resource: 'jobs', name: 'held' };
        const writes = { user: 'suspend-schedule', verb: /^patch$/, code: 200, ...held };
        expect(await world.requests(writes)).toHaveLength(1);
      });
      const reported = (await world.events()).filter(
        ({ involvedObject }) => involvedObject?.kind === 'Job' && involvedObject.name === 'held',
      );
      expect(reported.map(({ reason }) => reason)).toContain('HeldByPolicy');
      expect(new Set(everSuspended(world, 'held'))).toEqual(new Set([true]));
      expect(world.pods('held')).toEqual([]);
      const open = openDuring([Date.now() - hour, Date.now() + hour]);
      await world.patch('SuspendPolicy', 'closed', { spec: { schedule: open } });
      await world.untilRunning('held');
    });

    it('a burst never exceeds a capacity, and what has to wait says so', async () => {
      const select = { selector: { matchLabels: { case: 'three' } } };
      await world.apply(suspendPolicy('three', { ...select, capacity: { maxJobs: 3 } }));
      await untilFollowed(place, 'three');
      const names = Array.from({ length: 12 }, (_, index) => `burst-${index}`);
      await world.apply(...names.map((name) => batchJob(name, { labels: { case: 'three' } })));
      const running = () =>
        world
          .jobs()
          .filter(({ metadata, spec }) => names.includes(metadata.name) && spec.suspend !== true);
      await world.until('three of them run', () => running().length === 3);
      expect(mostAtOnce(world, names)).toBe(3);
      await world.endPod(running()[0]!.metadata.name);
      await world.until('another one has started', () => running().length === 4);
      expect(mostAtOnce(world, names)).toBe(3);
    });

    it('who resumes a Job by hand takes no mark away and changes no label with it', async () => {
      const select = { selector: { matchLabels: { case: 'marks' } } };
      await world.apply(suspendPolicy('marks', { ...select, schedule: openDuring() }));
      await untilFollowed(place, 'marks');
      await world.apply(batchJob('marked', { labels: { case: 'marks' } }));
      const mark = { metadata: { annotations: { [annotations.suspendedBy]: null } } };
      const away = await patchAs('bob', 'job marked', mark);
      expect(away.stderr).toContain('only suspend policies write this');
      const relabelled = { metadata: { labels: { case: null } }, spec: { suspend: false } };
      const both = await patchAs('bob', 'job marked', relabelled);
      expect(both.stderr).toContain('resume it and change its labels in separate requests');
      expect(await patchAs('bob', 'job marked', { spec: { suspend: false } })).toMatchObject({
        code: 0,
      });
      await world.untilRunning('marked');
      await expect.poll(async () => (await policyStatus(world, 'marks'))?.overridden).toBe(1);
      // Users who may write the status of policies are exempt from this check.
      await world.kubectl(['patch', 'job', 'marked', '--type=merge', '-p', JSON.stringify(mark)]);
      await world.untilJob('marked', 'is suspended again', (job) => has(job, 'Suspended'));
    });

    it('what waits in a queue is resumed by who may admit Workloads', async () => {
      const queued = labelled(flow('queued', [step('a')]), { [queueLabel]: 'q' });
      expect(await as('bob', ['create', '-f', '-'], queued)).toMatchObject({ code: 0 });
      await world.untilState('queued', 'Suspended');
      const resume = { spec: { suspend: false } };
      const refused = await patchAs('bob', 'mjf queued', resume);
      expect(refused.stderr).toContain('spec.suspend: Forbidden: bob may not admit Workloads');
      const escaped = await patchAs('bob', 'mjf queued', {
        ...resume,
        metadata: { labels: { [queueLabel]: null } },
      });
      expect(escaped.stderr).toContain('field is immutable');
      await world.kubectl(['create', 'role', 'admits', '--verb=patch', '--resource=jobs.batch']);
      const rule = {
        apiGroups: ['kueue.x-k8s.io'],
        resources: ['workloads/status'],
        verbs: ['patch'],
      };
      await world.kubectl([
        'patch',
        'role',
        'admits',
        '--type=json',
        '-p',
        JSON.stringify([{ op: 'replace', path: '/rules/0', value: rule }]),
      ]);
      await world.kubectl(['create', 'rolebinding', 'admits', '--role=admits', '--user=bob']);
      await expect.poll(async () => (await patchAs('bob', 'mjf queued', resume)).code).toBe(0);
      await world.untilState('queued', 'Succeed');
    });

    it('a flow that waits as a whole gets no queue for its steps, at its creation or later (scenario 67)', async () => {
      const queue = { [queueLabel]: 'q' };
      const whole = labelled(flow('whole', [step('a')], { suspend: true }), queue);
      const steps = { globalParams: { labels: queue } };
      const twice = labelled(flow('twice', [step('a')], { suspend: true, ...steps }), queue);
      const fault = `spec.globalParams.labels[${queueLabel}]: Forbidden: metadata.labels has it`;
      expect(await world.refusalOf(twice)).toMatchObject({
        code: 403,
        message: expect.stringContaining(fault) as string,
      });
      await world.apply(whole);
      expect((await patchAs('bob', 'jobflow whole', { spec: steps })).stderr).toContain(fault);
      await world.apply(flow('parts', [step('a')], { suspend: true, ...steps }));
    });

    it('while no admission answers, policies hold and resume all the same, and no mark is taken away', async () => {
      const select = { selector: { matchLabels: { case: 'alone' } } };
      await world.apply(suspendPolicy('alone', { ...select, schedule: openDuring() }));
      await world.apply(batchJob('before', { labels: { case: 'alone' } }));
      await world.untilJob('before', 'is Suspended', (job) => has(job, 'Suspended'));
      await place.admissions.served.stop();
      await world.apply(batchJob('after', { labels: { case: 'alone' } }));
      await world.untilJob('after', 'is Suspended', (job) => has(job, 'Suspended'));
      const mark = { metadata: { annotations: { [annotations.suspendedBy]: null } } };
      const { stderr } = await patchAs('bob', 'job before', mark);
      expect(stderr).toContain('failed calling webhook "suspension-mark.millrace.dev"');
      const open = openDuring([Date.now() - hour, Date.now() + hour]);
      await world.patch('SuspendPolicy', 'alone', { spec: { schedule: open } });
      await world.untilRunning('before');
      await world.untilRunning('after');
    });
  });
});

function labelled(manifest: Manifest, labels: Readonly<Record<string, string>>): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

async function policyStatus(world: FlowWorld, name: string) {
  const { api, namespace } = world;
  const found = await api.get('SuspendPolicy', { namespace, name });
  return (found as unknown as SuspendPolicy | undefined)?.status;
}

/** The largest number of these Jobs that were allowed to run at the same time. */
function mostAtOnce(world: FlowWorld, names: readonly string[]): number {
  const running = new Set<string>();
  let most = 0;
  for (const { type, object } of world.jobSightings()) {
    const { name } = object.metadata;
    if (!names.includes(name)) continue;
    const runs = type !== 'DELETED' && object.spec.suspend !== true && !has(object, 'Complete');
    if (runs) running.add(name);
    else running.delete(name);
    most = Math.max(most, running.size);
  }
  return most;
}
