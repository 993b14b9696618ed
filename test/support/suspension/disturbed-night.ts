/**
 * One life of a suspend policy in a namespace: a window closes and opens, a Job preempts another one for the
 * only place, and the deletion resumes held work. It is written once, so that a disturbed run can be
 * compared with an undisturbed one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { annotations } from '#shared/domain/labels.ts';
import { suspendSchedule } from '#functions/suspend-schedule/function.ts';
import type { SeenWrite } from '../faulty-client.ts';
import { type FlowWorld, has } from '../flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from './suspend-manifests.ts';

export const nightFunction = suspendSchedule;

const hourMs = 3_600_000;
/** A transition happens this long after the edit that schedules it. */
const aheadMs = 1_000;

const label = 'batch/priority';
const policy = 'nights';

export interface Night {
  readonly closesMs: number;
  readonly opensMs: number;
  readonly policyUid: string;
  /** Events about suspensions and transitions, as `REASON NAME`, in order. */
  readonly events: readonly string[];
}

/** Runs until the policy is gone and all three Jobs run. */
export async function liveThroughNight(world: FlowWorld): Promise<Night> {
  await world.apply(prioritized('low', 1), prioritized('middle', 3));
  await Promise.all(['low', 'middle'].map((name) => untilStarted(world, name)));
  const sinceMs = Date.now() - hourMs;
  const [created] = await world.apply(
    suspendPolicy(policy, {
      kinds: ['Job'],
      adopt: 'Both',
      capacity: { maxJobs: 2 },
      order: { priorityFrom: `label:${label}` },
      preemption: { mode: 'LowerPriority', minRunSeconds: 0 },
      schedule: openDuring([sinceMs, sinceMs + 2 * hourMs]),
    }),
  );
  await untilPolicy(world, 'Open');
  const closesMs = Date.now() + aheadMs;
  await reschedule(world, [sinceMs, closesMs]);
  await Promise.all(['low', 'middle'].map((name) => untilSuspended(world, name)));
  await untilPolicy(world, 'Closed');
  const opensMs = Date.now() + aheadMs;
  await reschedule(world, [sinceMs, closesMs], [opensMs, opensMs + hourMs]);
  await Promise.all(['low', 'middle'].map((name) => untilStarted(world, name)));
  await untilPolicy(world, 'Open');
  await world.apply(prioritized('high', 5, { suspend: true }));
  await Promise.all([untilSuspended(world, 'low'), world.untilRunning('high')]);
  await world.delete('SuspendPolicy', policy);
  await world.untilRunning('low');
  await untilPolicy(world, undefined);
  const events = (await world.events())
    .map(({ reason, involvedObject }) => `${reason ?? ''} ${involvedObject?.name ?? ''}`)
    .filter((each) => expectedEvents.includes(each))
    .toSorted();
  return { closesMs, opensMs, policyUid: created?.metadata.uid ?? '', events };
}

function prioritized(name: string, priority: number, job: { suspend?: boolean } = {}) {
  return batchJob(name, { labels: { [label]: String(priority) }, job });
}

/** By the Job's own status: a Job without a start is not preempted either. */
function untilStarted(world: FlowWorld, name: string): Promise<unknown> {
  return world.untilJob(
    name,
    'is started',
    ({ spec, status }) =>
      spec.suspend !== true && status?.startTime !== undefined && status.active === 1,
  );
}

function untilSuspended(world: FlowWorld, name: string): Promise<unknown> {
  return world.untilJob(name, 'is Suspended', (job) => has(job, 'Suspended'));
}

function reschedule(
  world: FlowWorld,
  ...spans: readonly (readonly [fromMs: number, toMs: number])[]
) {
  return world.patch('SuspendPolicy', policy, { spec: { schedule: openDuring(...spans) } });
}

/** Waits until its status matches; `undefined`: until it is gone. */
async function untilPolicy(
  { api, namespace }: FlowWorld,
  state: 'Open' | 'Closed' | undefined,
): Promise<void> {
  for (;;) {
    const object = await api.get('SuspendPolicy', { namespace, name: policy });
    const { status } = (object ?? {}) as { readonly status?: { readonly state?: string } };
    if (state === undefined ? object === undefined : status?.state === state) return;
    await sleep(200);
  }
}

export interface Change {
  readonly suspend: boolean;
  /** When the watch delivered it, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** All values of the Job's spec.suspend since its creation. */
export function changesOf(world: FlowWorld, job: string): readonly Change[] {
  return world
    .jobSightings()
    .filter(({ object }) => object.metadata.name === job)
    .map(({ object, atMs }) => ({ suspend: object.spec.suspend === true, atMs }))
    .filter(({ suspend }, at, all) => suspend !== all[at - 1]?.suspend);
}

/** In every run, each Job is suspended and resumed exactly as often as this. */
const story: Readonly<Record<string, readonly boolean[]>> = {
  low: [false, true, false, true, false],
  middle: [false, true, false],
  high: [true, false],
};

/**
 * In every run, each of these occurs exactly as often as here. The second one of `low` is for another
 * period.
 */
const expectedEvents: readonly string[] = [
  'HeldByPolicy low',
  'HeldByPolicy low',
  'HeldByPolicy middle',
  'WindowClosed nights',
  'WindowOpened nights',
];

/** One line per difference from the story. */
export function faultsOfNight(world: FlowWorld, { closesMs, opensMs, policyUid, events }: Night) {
  const faults =
    events.join() === expectedEvents.join() ? [] : [`its Events were: ${events.join()}`];
  for (const [job, wanted] of Object.entries(story)) {
    const changes = changesOf(world, job);
    const seen = changes.map(({ suspend }) => suspend);
    if (seen.join() !== wanted.join()) faults.push(`${job} was suspended: ${seen.join()}`);
    if (job === 'high') continue;
    const [, closed, opened] = changes;
    if ((closed?.atMs ?? 0) < closesMs) faults.push(`${job} was suspended before the closing`);
    if ((opened?.atMs ?? 0) < opensMs) faults.push(`${job} was resumed before the opening`);
  }
  for (const { metadata } of world.jobs()) {
    const own = metadata.annotations ?? {};
    const left = [annotations.suspendedBy, annotations.held].filter((name) => name in own);
    if (left.length > 0) faults.push(`${metadata.name} still carries ${left.join()}`);
    // A Job without such a suspension was not resumed by it either.
    const by = own[annotations.resumedBy];
    const wanted = metadata.name === 'high' ? [policyUid, 'adopted'] : [policyUid];
    if (!wanted.includes(by ?? '')) faults.push(`${metadata.name} was resumed by ${by}`);
  }
  return faults;
}

/** The purpose of a write that every run makes exactly once. Undefined: an intermediate status or a note. */
export function purposeOf({ verb, plural, name, content }: SeenWrite): string | undefined {
  if (plural === 'jobs') {
    const { spec } = content as { readonly spec?: { readonly suspend?: boolean } };
    if (spec?.suspend === undefined) return `note on ${name}`;
    return `${spec.suspend ? 'suspension' : 'resumption'} of ${name}`;
  }
  if (plural === 'events') {
    const { reason, involvedObject } = content as {
      readonly reason: string;
      readonly involvedObject: { readonly name: string };
    };
    return `Event ${reason} of ${involvedObject.name}`;
  }
  const { metadata, status } = content as {
    readonly metadata?: { readonly finalizers?: unknown };
    readonly status?: { readonly state?: string };
  };
  if (metadata !== undefined && 'finalizers' in metadata) return `${verb} of the finalizer`;
  return status?.state === undefined ? undefined : `status that says ${status.state}`;
}
