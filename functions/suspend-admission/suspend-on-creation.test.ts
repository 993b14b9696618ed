import { describe, expect, it } from 'vitest';
import type { ClusterSuspendPolicySpec, SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { SuspendPolicy, SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { AdmissionDecision } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { suspendAdmissions } from './testing/admissions.ts';
import {
  answer,
  clock,
  creation,
  days,
  nights,
  nowMs,
  object,
  type ObjectFields,
  policies,
  policy,
} from './testing/reviews.ts';

const admissionUnder = (...all: readonly SuspendPolicy[]) =>
  suspendAdmissions({ policies: policies(all), clock })[0]!;

const created = (all: readonly SuspendPolicy[], fields: ObjectFields = {}) =>
  answer(admissionUnder(...all), creation(object('Job', fields)));

function metadataOf(decision: AdmissionDecision): JsonObject {
  if (!decision.allowed) throw new Error(decision.message);
  return (decision.object?.['metadata'] ?? {}) as JsonObject;
}

const holderOf = (decision: AdmissionDecision): unknown => {
  const { annotations = {} } = metadataOf(decision);
  const held = (annotations as JsonObject)['millrace.dev/held'];
  return typeof held === 'string' ? (JSON.parse(held) as unknown) : undefined;
};

const closed = policy('nights', { schedule: nights });
const open = policy('days', { schedule: days });

describe('what is created while a policy is closed', () => {
  it('starts suspended, with the mark that suspend-schedule would write', async () => {
    const decision = await created([closed], {
      annotations: { own: 'kept' },
      spec: { parallelism: 2 },
    });
    const since = Date.parse('2026-01-05T06:00:00Z') / 1_000;
    const held = {
      policy: 'SuspendPolicy/team-a/nights',
      reason: 'WindowClosed',
      since: '2026-01-05T08:00:00Z',
      isUntold: true,
      until: '2026-01-05T20:00:00Z',
    };
    expect(decision).toEqual({
      allowed: true,
      object: object('Job', {
        annotations: {
          own: 'kept',
          'millrace.dev/suspended-by': `uid-of-nights/${since}`,
          'millrace.dev/held': JSON.stringify(held),
        },
        spec: { parallelism: 2, suspend: true },
      }),
      warnings: ['held by SuspendPolicy/team-a/nights (WindowClosed) until 2026-01-05T20:00:00Z'],
    });
  });

  it.each(['JobFlow', 'DaemonJob'] as const)('starts suspended as a %s', async (kind) => {
    const decision = await answer(admissionUnder(closed), creation(object(kind)));
    expect(holderOf(decision)).toMatchObject({ reason: 'WindowClosed' });
  });

  it('is asked about again without a further change', async () => {
    const first = await created([closed]);
    if (!first.allowed) throw new Error(first.message);
    const again = await answer(admissionUnder(closed), creation(first.object!));
    expect(again).toEqual({ allowed: true });
  });

  it.each<[string, SuspendPolicySpec, ObjectFields]>([
    [
      'its labels are others',
      { schedule: nights, selector: { matchLabels: { tier: 'batch' } } },
      {},
    ],
    ['its kind is another', { schedule: nights, kinds: ['JobFlow'] }, {}],
    ['the policy only reports', { schedule: nights, dryRun: true }, {}],
    ['the policy takes what is submitted suspended', { schedule: nights, adopt: 'Suspended' }, {}],
    ['it is submitted suspended', { schedule: nights }, { spec: { suspend: true } }],
    [
      'an override says that it runs',
      { schedule: nights },
      { annotations: { 'millrace.dev/suspend-override': 'Run' } },
    ],
    [
      'Kueue manages it',
      { schedule: nights },
      { annotations: { 'kueue.x-k8s.io/stopping': 'true' } },
    ],
    ['something else manages it', { schedule: nights }, { spec: { managedBy: 'example.com/x' } }],
    [
      'it belongs to a flow',
      { schedule: nights },
      {
        ownerReferences: [
          {
            apiVersion: 'api.practice.com/v1alpha1',
            kind: 'JobFlow',
            name: 'a',
            uid: 'a',
            controller: true,
          },
        ],
      },
    ],
  ])('runs when %s', async (_, spec, fields) => {
    expect(await created([policy('nights', spec)], fields)).toEqual({ allowed: true });
  });

  it('is suspended for a CronJob, which leaves its Jobs alone', async () => {
    const owner = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      name: 'c',
      uid: 'c',
      controller: true,
    };
    expect(holderOf(await created([closed], { ownerReferences: [owner] }))).toBeDefined();
  });

  it('is held until a further override when a user asks for it, also while the policy is open', async () => {
    const annotations = { 'millrace.dev/suspend-override': 'Hold' };
    expect(holderOf(await created([open], { annotations }))).toEqual({
      policy: 'SuspendPolicy/team-a/days',
      reason: 'Override',
      since: '2026-01-05T08:00:00Z',
      isUntold: true,
    });
  });

  it('is held with the end of the override in its note', async () => {
    const annotations = { 'millrace.dev/suspend-override': 'Hold;until=2026-01-05T09:00:00Z' };
    for (const each of [open, closed]) {
      expect(holderOf(await created([each], { annotations }))).toMatchObject({
        reason: 'Override',
        until: '2026-01-05T09:00:00Z',
      });
    }
  });

  it('is held in spite of an override where the policy forbids overrides', async () => {
    const annotations = { 'millrace.dev/suspend-override': 'Run' };
    const strict = policy('nights', { schedule: nights, overrides: 'Forbid' });
    expect(holderOf(await created([strict], { annotations }))).toMatchObject({
      reason: 'WindowClosed',
    });
  });

  it('is held when a user asks for it, also by a policy that adopts suspended objects', async () => {
    const annotations = { 'millrace.dev/suspend-override': 'Hold' };
    const adopting = policy('nights', { schedule: nights, adopt: 'Suspended' });
    expect(holderOf(await created([adopting], { annotations }))).toMatchObject({
      reason: 'Override',
    });
  });
});

describe('of several policies', () => {
  const clusterPolicy = (spec: ClusterSuspendPolicySpec): SuspendPolicy => {
    const { uid, resourceVersion } = closed.metadata;
    return {
      ...policy('all', { schedule: nights, ...spec }),
      kind: 'ClusterSuspendPolicy',
      metadata: { name: 'all', uid, resourceVersion },
    };
  };

  it('the one with the highest precedence decides', async () => {
    const first = policy('first', { schedule: days, precedence: 1 });
    expect(await created([closed, first])).toEqual({ allowed: true });
  });

  it('among equals the closed one decides', async () => {
    expect(holderOf(await created([open, closed]))).toMatchObject({
      policy: 'SuspendPolicy/team-a/nights',
    });
  });

  it('among equals that are open the one with a capacity decides', async () => {
    const full = policy('with-room-for-none', { capacity: { maxJobs: 0 } });
    expect(
      holderOf(await created([policy('a-first-by-name', { schedule: days }), full])),
    ).toMatchObject({
      policy: 'SuspendPolicy/team-a/with-room-for-none',
    });
  });

  it('one of the cluster decides where it selects the namespace', async () => {
    const ofCluster = clusterPolicy({ namespaceSelector: { matchLabels: { team: 'a' } } });
    const inNamespace = (labels: Readonly<Record<string, string>>) =>
      answer(
        suspendAdmissions({ policies: policies([ofCluster], { 'team-a': labels }), clock })[0]!,
        creation(object('Job')),
      );
    expect(holderOf(await inNamespace({ team: 'a' }))).toMatchObject({
      policy: 'ClusterSuspendPolicy/all',
    });
    expect(await inNamespace({ team: 'b' })).toEqual({ allowed: true });
  });

  it('one of the cluster decides in a namespace of the cluster too, where that is all that is served', async () => {
    const review = { ...creation(object('Job')), namespace: 'kube-system' };
    expect(holderOf(await answer(admissionUnder(clusterPolicy({})), review))).toMatchObject({
      policy: 'ClusterSuspendPolicy/all',
    });
  });
});

describe('under a capacity', () => {
  const status = (fields: SuspendPolicyStatus): SuspendPolicyStatus => ({
    ...{ observedGeneration: 1, held: 0, running: 0, lastUpdateTime: '2026-01-05T08:00:00Z' },
    ...fields,
  });
  const five = (fields?: SuspendPolicyStatus) =>
    policy('five', { capacity: { maxJobs: 5 } }, fields === undefined ? undefined : status(fields));

  it.each<[string, SuspendPolicy]>([
    ['it is full', five({ running: 5 })],
    ['something waits already', five({ running: 3, held: 1 })],
    ['the policy has no status yet', five()],
    ['the status is older than the last edit', five({ observedGeneration: 0 })],
    [
      'resources are counted, which the status does not show',
      policy('cpu', { capacity: { maxJobs: 5, resources: { cpu: '4' } } }, status({})),
    ],
  ])('is held when %s', async (_, under) => {
    expect(holderOf(await created([under]))).toMatchObject({ reason: 'CapacityFull' });
  });

  it('runs as long as there is room, what came before it counted', async () => {
    const admission = admissionUnder(five({ running: 3 }));
    const outcomes = [];
    for (let index = 0; index < 4; index += 1) {
      outcomes.push(holderOf(await answer(admission, creation(object('Job')))) === undefined);
    }
    expect(outcomes).toEqual([true, true, false, false]);
  });

  it('takes no room by a dry run', async () => {
    const admission = admissionUnder(five({ running: 4 }));
    const dry = { ...creation(object('Job')), dryRun: true };
    for (let index = 0; index < 3; index += 1) {
      expect(await answer(admission, dry)).toEqual({ allowed: true });
    }
    expect(await answer(admission, creation(object('Job')))).toEqual({ allowed: true });
    expect(holderOf(await answer(admission, dry))).toBeDefined();
  });

  it('forgets what it let in once the status counts it', async () => {
    const under = five({ running: 4 });
    let current = under;
    const following = policies(() => [current]);
    const [admission] = suspendAdmissions({ policies: following, clock });
    expect(await answer(admission!, creation(object('Job')))).toEqual({ allowed: true });
    expect(holderOf(await answer(admission!, creation(object('Job'))))).toBeDefined();
    // Exactly as much later as a status may lag.
    const later = new Date(nowMs + 5_000).toISOString();
    current = { ...under, status: status({ running: 4, lastUpdateTime: later }) };
    expect(await answer(admission!, creation(object('Job')))).toEqual({ allowed: true });
  });

  it.each([
    ['let in', { running: 4 }],
    ['held', { running: 5 }],
  ])('forgets what it %s and never came, although no status counts it', async (_, full) => {
    let now = nowMs;
    let all = [five(full)];
    const following = policies(() => all);
    const [admission] = suspendAdmissions({ policies: following, clock: { now: () => now } });
    const isHeld = async (dryRun = false) =>
      holderOf(await answer(admission!, { ...creation(object('Job')), dryRun })) !== undefined;
    await isHeld();
    all = [five({ running: 4 })];
    now += 59_000;
    expect(await isHeld(true)).toBe(true);
    now += 1_000;
    expect(await isHeld()).toBe(false);
  });

  it('lets nothing in before what it has just held, until the status counts that', async () => {
    let all = [five({ running: 5 })];
    const following = policies(() => all);
    const [admission] = suspendAdmissions({ policies: following, clock });
    const isHeld = async () =>
      holderOf(await answer(admission!, creation(object('Job')))) !== undefined;
    expect(await isHeld()).toBe(true);
    all = [five({ running: 4 })];
    expect(await isHeld()).toBe(true);
    const later = new Date(nowMs + 6_000).toISOString();
    all = [five({ running: 4, lastUpdateTime: later })];
    expect(await isHeld()).toBe(false);
  });

  it('notes on a held object when the last one was let in, which may be stored later', async () => {
    const admission = admissionUnder(five({ running: 4 }));
    await answer(admission, creation(object('Job')));
    expect(holderOf(await answer(admission, creation(object('Job'))))).toMatchObject({
      reason: 'CapacityFull',
      letIn: '2026-01-05T08:00:00Z',
    });
    expect(holderOf(await created([five({ running: 5 })]))).not.toHaveProperty('letIn');
  });

  it('leaves that time out on an object that only the window holds', async () => {
    const under = policy('both', { schedule: nights, capacity: { maxJobs: 5 } }, status({}));
    const admission = admissionUnder(under);
    await answer(admission, creation(object('Job')));
    const holder = holderOf(await answer(admission, creation(object('Job'))));
    expect(holder).toMatchObject({ reason: 'WindowClosed' });
    expect(holder).not.toHaveProperty('letIn');
  });
});
