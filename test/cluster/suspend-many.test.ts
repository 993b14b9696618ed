import { it } from 'vitest';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { Plan } from '#shared/domain/plan.ts';
import type { RestoredDecision } from '#shared/journal/decision-reader.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, has } from '#test/support/flow-world.ts';
import type { JobObject } from '#test/support/flows/batch-objects.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;
/** Number of Jobs in a window that closes. Three hundred would take several decisions. */
const total = 2_000;
/** Written in one decision. */
const together = 128;
const label = 'batch/priority';
/** Number of Jobs that wait for capacity. */
const waiting = Number(process.env['MILLRACE_TEST_WAITING'] ?? 200);
const capacity = Math.min(50, Math.ceil(waiting / 10));

describeFlows('a window that closes over many Jobs', (suite) => {
  it('suspends all of them, the lowest priority first (scenario 70)', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await suite.world('many');
    onTestFinished(() => clear(world));
    const jobs = Array.from({ length: total }, (_, index) =>
      batchJob(`job-${String(index).padStart(4, '0')}`, {
        labels: { [label]: String(index % 10) },
        job: { parallelism: 0 },
      }),
    );
    for (let from = 0; from < total; from += 50) await world.apply(...jobs.slice(from, from + 50));
    await world.until('all are there', () => world.jobs().length === total);
    const now = Date.now();
    await world.apply(
      suspendPolicy('nights', {
        kinds: ['Job'],
        schedule: openDuring([now - hour, now + 5_000]),
        order: { priorityFrom: `label:${label}` },
      }),
    );
    const isHeld = () => world.jobs().every(({ spec }) => spec.suspend === true);
    await world.until('all are suspended', isHeld);
    const took = Date.now() - (now + 5_000);
    const asked = await world.requests({ user: 'suspend-schedule' });
    console.log(`${total} Jobs suspended ${took} ms after the closing, ${asked.length} requests`);
    const suspended = world.jobSightings().filter(({ object }) => object.spec.suspend === true);
    const order = [
      ...new Map(suspended.map(({ object }) => [object.metadata.name, object])).values(),
    ];
    const priorities = order.map(({ metadata }) => Number(metadata.labels?.[label]));
    // Writes of one decision happen at the same time, and a slow answer does not delay the others.
    const misplaced = priorities.filter((priority, at) =>
      priorities.slice(at + together).some((later) => later < priority),
    );
    expect(misplaced).toEqual([]);
  });
});

/** Later files list all existing Jobs, once for each policy. */
async function clear(world: FlowWorld): Promise<void> {
  const { api, namespace } = world;
  for (const kind of ['Job', 'SuspendPolicy'] as const) await api.deleteAll(kind, namespace);
  await world.until('no Job is left', () => world.jobs().length === 0);
}

/** Names of the resumed objects, in the order of decisions and plans. */
function resumedBy(decisions: readonly RestoredDecision[], policy: string): readonly string[] {
  return decisions
    .filter(({ key }) => key.name === policy)
    .flatMap(({ plan }) => (plan as unknown as Plan).flat())
    .flatMap((operation) => {
      if (operation.kind !== 'patch') return [];
      const { spec } = operation.patch;
      return isObject(spec) && spec['suspend'] === false ? [operation.target.name] : [];
    });
}

/** The largest number of Jobs that ran or had Pods at the same time, by every stored version. */
function mostAtOnce(world: FlowWorld): number {
  const busy = new Set<string>();
  let most = 0;
  for (const { type, object } of world.jobSightings()) {
    const { active = 0, terminating = 0 } = object.status ?? {};
    const isOver = type === 'DELETED' || has(object, 'Complete');
    const isBusy = object.spec.suspend !== true || active > 0 || terminating > 0;
    if (isBusy && !isOver) busy.add(object.metadata.uid);
    else busy.delete(object.metadata.uid);
    most = Math.max(most, busy.size);
  }
  return most;
}

describeFlows('a capacity that far more Jobs wait for', (suite) => {
  it('starts them in their exact order, and never more than there is room for', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await suite.world('room');
    onTestFinished(() => clear(world));
    const jobs = Array.from({ length: waiting }, (_, index) =>
      batchJob(`job-${String(index).padStart(4, '0')}`, {
        labels: { [label]: String(index % 7) },
        runFor: '300ms',
        job: { suspend: true },
      }),
    );
    await world.apply(
      suspendPolicy('room', {
        kinds: ['Job'],
        adopt: 'Suspended',
        capacity: { maxJobs: 0 },
        order: { priorityFrom: `label:${label}` },
      }),
    );
    for (let from = 0; from < waiting; from += 50)
      await world.apply(...jobs.slice(from, from + 50));
    const { namespace } = world;
    const held = async () => {
      const policy = await world.api.get('SuspendPolicy', { namespace, name: 'room' });
      return (policy as unknown as SuspendPolicy | undefined)?.status?.held;
    };
    await expect.poll(held, { timeout: 60_000 }).toBe(waiting);
    const sinceMs = Date.now();
    await world.patch('SuspendPolicy', 'room', { spec: { capacity: { maxJobs: capacity } } });
    const isOver = () => world.jobs().every((job) => has(job, 'Complete'));
    await world.until('all have ended', isOver, 300_000);
    const asked = await world.requests({ user: 'suspend-schedule', sinceMs });
    const each = (asked.length / waiting).toFixed(2);
    console.log(
      `${waiting} Jobs under a capacity of ${capacity} in ${Date.now() - sinceMs} ms, ${each} requests for each`,
    );
    expect(mostAtOnce(world)).toBe(capacity);
    const policy = await world.api.get('SuspendPolicy', { namespace, name: 'room' });
    const decisions = await suite.decisions(policy!.metadata.uid);
    const created = new Map(world.jobs().map(({ metadata }) => [metadata.name, metadata]));
    const rank = (name: string): readonly [number, string, string] => {
      const metadata = created.get(name);
      const priority = Number(metadata?.labels?.[label]);
      return [-priority, metadata?.creationTimestamp ?? '', metadata?.uid ?? ''];
    };
    const order = [...new Set(resumedBy(decisions, 'room'))];
    expect(order).toHaveLength(waiting);
    const due = order.toSorted((left, right) => compare(rank(left), rank(right)));
    expect(order).toEqual(due);
  }, 420_000);

  it('lets what is starved by a stream in when it has waited long enough (scenario 59)', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await suite.world('starved');
    onTestFinished(() => clear(world));
    const maxWaitSeconds = 8;
    await world.apply(
      suspendPolicy('fair', {
        kinds: ['Job'],
        capacity: { maxJobs: 2 },
        order: { priorityFrom: `label:${label}`, strategy: 'BestEffortFIFO' },
        fairness: { maxWaitSeconds },
      }),
    );
    // No Job of the stream ends by itself, so that some always wait on the slowest machine.
    const stream = (index: number) =>
      batchJob(`high-${String(index).padStart(2, '0')}`, { labels: { [label]: '9' } });
    await world.apply(...Array.from({ length: 6 }, (_, index) => stream(index)));
    const running = () =>
      world.jobs().filter((job) => job.spec.suspend !== true && !has(job, 'Complete'));
    await world.until(
      'two run and the others wait',
      () => running().length === 2 && world.jobs().filter(isSuspended).length === 4,
    );
    await world.apply(batchJob('low', { labels: { [label]: '0' } }));
    const hasStartedLow = () => world.job('low')?.status?.startTime !== undefined;
    for (let count = 6; !hasStartedLow(); count += 1) {
      await world.apply(stream(count));
      const ending = running()[0]!.metadata.name;
      await world.endPod(ending);
      await world.until(
        'another has its room',
        () => has(world.job(ending), 'Complete') && running().length === 2,
      );
    }
    const low = world.job('low');
    const waited =
      Date.parse(low?.status?.startTime ?? '') - Date.parse(low?.metadata.creationTimestamp ?? '');
    // Times of Kubernetes are full seconds.
    expect(waited).toBeGreaterThanOrEqual((maxWaitSeconds - 1) * 1_000);
    const resumed = resumedBy(await suite.decisions(), 'fair');
    expect(resumed).toContain('low');
    expect(world.jobs().some(isSuspended)).toBe(true);
  });
});

function isSuspended({ spec }: JobObject): boolean {
  return spec.suspend === true;
}

function compare(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? '';
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
