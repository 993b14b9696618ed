import { it } from 'vitest';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { annotations } from '#shared/domain/labels.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, has } from '#test/support/flow-world.ts';
import { batchJob, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const label = 'batch/priority';

async function policyOf(world: FlowWorld, name: string): Promise<SuspendPolicy | undefined> {
  const { api, namespace } = world;
  const found = await api.get('SuspendPolicy', { namespace, name });
  return found as unknown as SuspendPolicy | undefined;
}

/** The largest number of Jobs that ran or had Pods at the same time, by every stored version. */
function mostAtOnce(world: FlowWorld): number {
  const busy = new Set<string>();
  let most = 0;
  for (const { type, object } of world.jobSightings()) {
    const { active = 0, terminating = 0 } = object.status ?? {};
    const isOver = type === 'DELETED' || has(object, 'Complete') || has(object, 'Failed');
    const isBusy = object.spec.suspend !== true || active > 0 || terminating > 0;
    if (isBusy && !isOver) busy.add(object.metadata.uid);
    else busy.delete(object.metadata.uid);
    most = Math.max(most, busy.size);
  }
  return most;
}

/** Names in the order of their resumption. */
function startingOrder(world: FlowWorld): readonly string[] {
  const started = world
    .jobSightings()
    .filter(({ object }) => object.spec.suspend === false)
    .map(({ object }) => object.metadata.name);
  return [...new Set(started)];
}

const prioritized = (name: string, priority: number, options: object = {}) =>
  batchJob(name, { labels: { [label]: String(priority) }, ...options });

describeFlows('the capacity of a suspend policy', (suite) => {
  it.concurrent(
    'starts what was submitted suspended by priority, and never more than there is room for (scenario 58)',
    async ({ expect }) => {
      const world = await suite.world('priorities');
      const priorities = [5, 0, 9];
      const jobs = Array.from({ length: 30 }, (_, index) => {
        const priority = priorities[index % 3] ?? 0;
        const name = `p${priority}-${String(index).padStart(2, '0')}`;
        return prioritized(name, priority, { runFor: '500ms', job: { suspend: true } });
      });
      await world.apply(...jobs);
      await world.apply(
        suspendPolicy('order', {
          kinds: ['Job'],
          adopt: 'Suspended',
          capacity: { maxJobs: 0 },
          order: { priorityFrom: `label:${label}` },
        }),
      );
      await expect.poll(async () => (await policyOf(world, 'order'))?.status?.held).toBe(30);
      await world.patch('SuspendPolicy', 'order', { spec: { capacity: { maxJobs: 5 } } });
      await world.until('all have ended', () => world.jobs().every((job) => has(job, 'Complete')));
      expect(mostAtOnce(world)).toBe(5);
      const order = startingOrder(world).map((name) => Number(name.slice(1, 2)));
      expect(order).toHaveLength(30);
      // Writes of one decision happen at the same time.
      const misplaced = order.filter((priority, at) =>
        order.slice(0, Math.max(0, at - 4)).some((p) => p < priority),
      );
      expect(misplaced).toEqual([]);
    },
  );

  it.concurrent(
    'holds what runs beyond it, the latest first, and passes what never fits (scenario 58)',
    async ({ expect }) => {
      const world = await suite.world('room');
      const asking = (name: string, cpu: string) => {
        const resources = { requests: { cpu } };
        const containers = [{ name: 'main', image: 'busybox:1.28', resources }];
        return batchJob(name, { pod: { containers } });
      };
      await world.apply(
        suspendPolicy('room', { kinds: ['Job'], capacity: { resources: { cpu: '1' } } }),
      );
      await world.apply(asking('first', '600m'));
      await world.untilRunning('first');
      await world.apply(asking('giant', '2'));
      await world.untilJob('giant', 'is Suspended', (job) => has(job, 'Suspended'));
      expect(world.job('first')?.spec.suspend).toBe(false);
      // Starts are recorded in whole seconds. Within one of them no start is the latest.
      const startedMs = Date.parse(world.job('first')?.status?.startTime ?? '');
      await expect.poll(() => Date.now() - startedMs).toBeGreaterThanOrEqual(1_000);
      await world.apply(asking('second', '600m'));
      await world.untilJob('second', 'is Suspended', (job) => has(job, 'Suspended'));
      await expect
        .poll(async () => (await policyOf(world, 'room'))?.status)
        .toMatchObject({ running: 1, held: 2, unschedulable: 1 });
      await world.endPod('first');
      await world.untilRunning('second');
      const note = world.job('giant')?.metadata.annotations?.[annotations.held] ?? '';
      expect(JSON.parse(note)).toMatchObject({ reason: 'Unschedulable' });
    },
  );

  it.concurrent(
    'lets the important interrupt the rest, and reports it each time',
    async ({ expect }) => {
      const world = await suite.world('preemption');
      await world.apply(
        suspendPolicy('order', {
          kinds: ['Job'],
          capacity: { maxJobs: 1 },
          adopt: 'Both',
          order: { priorityFrom: `label:${label}` },
          preemption: { mode: 'LowerPriority', minRunSeconds: 0 },
        }),
        prioritized('low', 1),
      );
      await world.untilRunning('low');
      await world.apply(prioritized('high', 5, { job: { suspend: true } }));
      await world.untilRunning('high');
      expect(has(world.job('low'), 'Suspended')).toBe(true);
      await world.endPod('high');
      await world.untilRunning('low');
      await world.apply(prioritized('higher', 6, { job: { suspend: true } }));
      await world.untilRunning('higher');
      const reports = (await world.events()).filter(
        ({ reason, involvedObject }) => reason === 'HeldByPolicy' && involvedObject?.name === 'low',
      );
      expect(reports).toHaveLength(2);
      expect(mostAtOnce(world)).toBe(1);
    },
  );
});
