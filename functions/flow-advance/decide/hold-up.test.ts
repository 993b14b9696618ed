import { describe, expect, it } from 'vitest';
import { eventName } from '#shared/kube/cluster-event.ts';
import type { ObservedJob, ObservedPods } from '#shared/domain/observed-job.ts';
import {
  at,
  condition,
  flow,
  job,
  record,
  snapshot,
  started,
  step,
  t0,
} from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const before = decided(
  snapshot(flow(steps, { status: started([record('a', 'Running')]) }), {
    jobs: [job('a', 'running')],
  }),
  2,
).status;

const noNode = '0/3 nodes are available: 3 Insufficient cpu.';
const unschedulable = { pod: 'etl-a-x', reason: 'Unschedulable', message: noNode, since: at(1) };
const pullFails = { pod: 'etl-a-x', reason: 'ImagePullBackOff', message: 'no image', since: at(1) };

const pods = (fields: Partial<ObservedPods> = {}): ObservedPods => ({
  active: 1,
  failed: 0,
  ...fields,
});

/** Step a is recorded as Running, with these observations of its Pods. */
const seen = (observed: ObservedPods | undefined, status = before) =>
  snapshot(flow(steps, { status }), {
    jobs: [{ ...job('a', 'running'), ...(observed === undefined ? {} : { pods: observed }) }],
  });

const heldUp = decided(seen(pods({ trouble: unschedulable })), 4);

describe('a step whose Pod does not run', () => {
  it('says why in the step and in the flow, with the command that shows more', () => {
    const message = `Pod etl-a-x: ${noNode}; kubectl -n default describe pod etl-a-x`;
    expect(heldUp.step('a')).toMatchObject({ state: 'Running', reason: 'Unschedulable', message });
    expect(heldUp.status).toMatchObject({
      state: 'Running',
      reason: 'Unschedulable',
      message: `step a: ${message}`,
    });
  });

  it('is reported by one Event with the reason of the Pod', () => {
    expect(heldUp.decision.plan.at(-2)).toMatchObject([
      { kind: 'emitEvent', type: 'Warning', reason: 'Unschedulable', occurrence: 'a-0' },
    ]);
  });

  it('keeps the name of the Event when the pass is decided again later', () => {
    const names = (seconds: number) =>
      decided(seen(pods({ trouble: unschedulable })), seconds)
        .decision.plan.flat()
        .flatMap((operation) => (operation.kind === 'emitEvent' ? [eventName(operation)] : []));
    expect(names(4)).toHaveLength(1);
    expect(names(90)).toEqual(names(4));
  });

  it('is not reported before three seconds, since a scheduler often finds room at once', () => {
    const { decision } = decided(seen(pods({ trouble: unschedulable })), 3);
    expect(decision.plan).toEqual([]);
    expect(decision.requeueAtMs).toBe(t0 + 4_000);
  });

  it('is reported at once when its image cannot be pulled', () => {
    expect(decided(seen(pods({ trouble: pullFails })), 2).step('a').reason).toBe(
      'ImagePullBackOff',
    );
  });

  it('writes nothing more while the problem stays, in whatever words', () => {
    const words = '0/40 nodes are available: 1 Too many pods, 39 Insufficient cpu.';
    const trouble = { ...unschedulable, message: words };
    const again = decided(seen(pods({ trouble }), heldUp.status), 60);
    expect(again.decision.plan).toEqual([]);
    expect(again.decision.requeueAtMs).toBeUndefined();
  });

  it('stays on record when a replica decides whose clock is behind', () => {
    const behind = decided(seen(pods({ trouble: unschedulable }), heldUp.status), 2);
    expect(behind.decision.plan).toEqual([]);
    expect(behind.step('a')).toMatchObject({ reason: 'Unschedulable' });
  });

  it('is reported anew when the problem, the Pod or the missing thing is another one', () => {
    const claim = { ...unschedulable, message: '0/3 nodes are available: claim "x" not found. ' };
    const another = { ...unschedulable, pod: 'etl-a-y' };
    for (const trouble of [claim, another, pullFails]) {
      const next = decided(seen(pods({ trouble }), heldUp.status), 60);
      expect(next.step('a').message).toContain(`Pod ${trouble.pod}: ${trouble.message}`);
      expect(next.status.message).toBe(`step a: ${next.step('a').message}`);
    }
  });

  it('is cleared everywhere when the problem passes', () => {
    const passed = decided(seen(pods(), heldUp.status), 60);
    expect(passed.step('a')).not.toHaveProperty('reason');
    expect(passed.step('a')).not.toHaveProperty('message');
    expect(passed.status).not.toHaveProperty('reason');
    expect(passed.status).not.toHaveProperty('message');
    expect(passed.events).toEqual([]);
    const ready = decided(seen(undefined, heldUp.status), 60);
    expect(ready.step('a')).not.toHaveProperty('reason');
  });

  it('keeps the command whole however long the words of the cluster are', () => {
    const trouble = { ...unschedulable, message: 'x'.repeat(512) };
    const { message = '' } = decided(seen(pods({ trouble })), 60).step('a');
    expect(message.length).toBeLessThanOrEqual(256);
    expect(message).toMatch(/…; kubectl -n default describe pod etl-a-x$/);
  });

  it('is one Event for a hundred steps with one problem', () => {
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const status = started(names.map((name) => record(name, 'Running', { startTime: at(1) })));
    const jobs = names.map((name) => ({
      ...job(name, 'running'),
      pods: pods({ trouble: unschedulable }),
    }));
    const many = flow(
      names.map((name) => step(name)),
      { status },
    );
    expect(decided(snapshot(many, { jobs }), 60).events).toEqual(['Unschedulable']);
  });
});

describe('a problem that may pass', () => {
  it('is reported at its time, and not looked at again then', () => {
    const atItsTime = decided(seen(pods({ trouble: unschedulable })), 4);
    expect(atItsTime.step('a').reason).toBe('Unschedulable');
    expect(atItsTime.decision.requeueAtMs).toBeUndefined();
  });

  it('is not looked at again when its step is over', () => {
    const failing = [{ ...job('a', 'failed'), pods: pods({ failed: 1, trouble: unschedulable }) }];
    const beside = flow([step('a'), step('b')], {
      status: started([record('a', 'Running'), record('b', 'Running')]),
    });
    const result = decided(snapshot(beside, { jobs: [...failing, job('b', 'running')] }), 2);
    expect(result.step('a').state).toBe('Failed');
    expect(result.decision.requeueAtMs).toBeUndefined();
  });
});

describe('containers that are being created', () => {
  const trouble = {
    pod: 'etl-a-x',
    reason: 'ContainerCreating',
    message: 'container main is not created',
    since: at(1),
  };

  it('are looked at again after a minute, and only then reported', () => {
    const early = decided(seen(pods({ trouble })), 10);
    expect(early.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 61_000 });
    const late = decided(seen(pods({ trouble })), 61);
    expect(late.step('a').reason).toBe('ContainerCreating');
  });
});

describe('a Pod without any report', () => {
  it.each(['NotScheduled', 'NotAccepted'])('is %s after a minute, and not before', (reason) => {
    const trouble = { pod: 'etl-a-x', reason, message: 'no report', since: at(1) };
    const early = decided(seen(pods({ trouble })), 10);
    expect(early.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 61_000 });
    expect(decided(seen(pods({ trouble })), 61).step('a').reason).toBe(reason);
  });
});

describe('a Job that gets no Pod', () => {
  it('is looked at again ten seconds after its start, and then says so', () => {
    const early = decided(seen(pods({ active: 0 })), 10);
    expect(early.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 11_000 });
    const late = decided(seen(pods({ active: 0, events: {} })), 11);
    expect(late.step('a').reason).toBe('NoPod');
    expect(late.step('a').message).toMatch(/; kubectl -n default describe job etl-a$/);
    expect(late.events).toEqual(['NoPod']);
  });

  it('says that its parallelism is 0 where that is why', () => {
    const [running] = seen(pods({ active: 0 })).jobs;
    const jobs = [{ ...running!, startsNoPod: true as const }];
    const { message } = decided({ ...seen(pods({ active: 0 })), jobs }, 60).step('a');
    expect(message).toMatch(/^spec.parallelism of the Job is 0/);
  });

  it('names no cause without any report of one', () => {
    const { message } = decided(seen(pods({ active: 0, events: {} })), 60).step('a');
    expect(message).not.toMatch(/quota|admission|refuses|controller/);
  });

  it('is not meant while the Job controller waits after an eviction that does not count', () => {
    const failure = {
      pod: 'etl-a-x',
      message: 'its Pod was disrupted',
      shownBy: 'describe',
    } as const;
    const { decision } = decided(seen(pods({ active: 0, failure })), 60);
    expect(decision).toMatchObject({ plan: [] });
  });

  it('is not meant while the Job controller waits after a failed Pod', () => {
    const { decision } = decided(seen(pods({ active: 0, failed: 1 })), 60);
    expect(decision).toMatchObject({ plan: [] });
    expect(decision.requeueAtMs).toBeUndefined();
  });

  it('says that its last Pod is gone where its Events mention one', () => {
    const events = { createdOne: true } as const;
    const { message } = decided(seen(pods({ active: 0, events })), 60).step('a');
    expect(message).toMatch(
      /^the last Pod of the Job is gone, and the next one is not created yet;/,
    );
  });

  it('names a Pod that is still being deleted, as on a node that does not report', () => {
    const events = { createdOne: true } as const;
    const { message } = decided(seen(pods({ active: 0, events, leaving: 'etl-a-x' })), 60).step(
      'a',
    );
    expect(message).toMatch(
      /^the Job continues when Pod etl-a-x is gone, which is being deleted: check/,
    );
  });

  describe('and whose Events give a cause', () => {
    const refused = (pod: string, used: number, quota = 'none') =>
      `pods "${pod}" is forbidden: exceeded quota: ${quota}, requested: pods=1, used: pods=${used}`;
    const unplaced = (refusal: string | undefined, status = before) =>
      seen(pods({ active: 0, ...(refusal === undefined ? {} : { events: { refusal } }) }), status);
    const first = decided(unplaced(refused('etl-a-x7k2p', 0)), 11);

    it('says so in their words, with one Event of their reason', () => {
      const message = `no Pod could be created: ${refused('etl-a-x7k2p', 0)}; kubectl -n default describe job etl-a`;
      expect(first.step('a')).toMatchObject({ state: 'Running', reason: 'FailedCreate', message });
      expect(first.status).toMatchObject({ reason: 'FailedCreate', message: `step a: ${message}` });
      expect(first.events).toEqual(['FailedCreate']);
    });

    it('is looked at again by the times of its Events', () => {
      expect(first.decision.requeueAtMs).toBe(t0 + 21_000);
      expect(decided(unplaced(undefined, first.status), 47).decision.requeueAtMs).toBe(t0 + 81_000);
    });

    it('is looked at once more where they came due after they could be read', () => {
      const early = decided(unplaced(undefined), 11);
      expect(early.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 11_001 });
      expect(early.step('a')).not.toHaveProperty('reason');
      const later = decided(unplaced(undefined, first.status), 21);
      expect(later.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 21_001 });
    });

    it('writes nothing for the same cause in other words, or where they were not read', () => {
      const writes = (refusal: string | undefined) =>
        decided(unplaced(refusal, first.status), 41).decision.plan;
      expect(writes(refused('etl-a-99zzz', 17))).toEqual([]);
      expect(writes(undefined)).toEqual([]);
    });

    it('writes nothing for other counts in a text that had to be cut', () => {
      const long = (count: string) => `${refused('etl-a-x7k2p', 0)}, ${`cpu=${count} `.repeat(60)}`;
      const heldUp = decided(unplaced(long('9')), 11);
      expect(heldUp.step('a').message).toContain('…; kubectl');
      expect(decided(unplaced(long('1000'), heldUp.status), 41).decision.plan).toEqual([]);
    });

    it('says another cause when there is one, and nothing once a Pod runs', () => {
      const other = decided(unplaced(refused('etl-a-aaaaa', 0, 'other'), first.status), 41);
      expect(other.step('a').message).toContain('exceeded quota: other');
      const runs = decided(seen(pods(), first.status), 41);
      expect(runs.step('a')).not.toHaveProperty('reason');
    });

    it('repeats their words also where nothing was known before', () => {
      const unknown = decided(seen(pods({ active: 0, events: {} })), 11);
      expect(unknown.step('a').reason).toBe('NoPod');
      const known = decided(unplaced(refused('etl-a-x7k2p', 0), unknown.status), 21);
      expect(known.step('a').reason).toBe('FailedCreate');
      expect(known.events).toEqual(['FailedCreate']);
    });
  });
});

describe('a remark of the Job itself', () => {
  it('comes before what its Pods say', () => {
    const deleted = { ...job('a', 'running', { deletionTimestamp: at(5) }) };
    const jobs = [{ ...deleted, pods: pods({ trouble: unschedulable }) }];
    const result = decided(snapshot(flow(steps, { status: before }), { jobs }), 60);
    expect(result.step('a').reason).toBe('ChildTerminating');
    expect(result.status).toMatchObject({
      reason: 'ChildTerminating',
      message: 'step a: the Job is being deleted; waiting until it and its Pods are gone',
    });
  });
});

describe('a Job that its controller has not touched', () => {
  const looked = (seconds: number, fields: Partial<ObservedJob> = {}) =>
    decided(
      snapshot(flow(steps, { status: started([record('a', 'Pending'), record('b', 'Waiting')]) }), {
        jobs: [{ ...job('a', 'pending'), ...fields }],
      }),
      seconds,
    );

  it('is reported a minute after its creation, with an Event, and looked at then', () => {
    expect(looked(59).step('a')).not.toHaveProperty('reason');
    expect(looked(59).decision.requeueAtMs).toBe(t0 + 60_000);
    const late = looked(60);
    const message =
      'the Job controller has not started the Job for more than a minute: check that kube-controller-manager runs; ' +
      'kubectl -n default describe job etl-a';
    expect(late.step('a')).toMatchObject({ state: 'Pending', reason: 'JobNotStarted', message });
    expect(late.status).toMatchObject({ reason: 'JobNotStarted', message: `step a: ${message}` });
    expect(late.events).toEqual(['JobNotStarted']);
  });

  it('is reported with the controller that spec.managedBy names', () => {
    expect(looked(60, { managedBy: 'example.com/queue' }).step('a').message).toContain(
      'example.com/queue (spec.managedBy) has not started the Job',
    );
  });

  it.each<[string, Partial<ObservedJob>]>([
    ['was suspended before', { conditions: [condition('Suspended', { status: 'False' })] }],
    ['has no time of its creation', { creationTimestamp: undefined as never }],
  ])('is not reported where it %s: it is not known since when it may start', (_, fields) => {
    expect(looked(600, fields).step('a')).not.toHaveProperty('reason');
  });
});
