/**
 * Lives of AppWrappers in a namespace, each with its writes. They are written once, so that a disturbed run can be
 * compared with an undisturbed one.
 */
import { conditionStatus } from '#shared/domain/conditions.ts';
import type { AppWrapperStatus } from '#shared/api/app-wrapper.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { successfulCreates } from '../audit-log.ts';
import type { SeenWrite } from '../faulty-client.ts';
import { type FlowWorld, untilEnded } from '../flow-world.ts';
import type { ObjectHistory } from '../flows/object-history.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
  wrappedService,
} from './wrapper-manifests.ts';
import {
  endWrappedPod,
  untilNothingIsLeftOf,
  untilWrapperIs,
  untilWrapperIsGone,
} from './wrapper-waits.ts';

export interface WrapperLife {
  /** Name of the AppWrapper. */
  readonly name: string;
  /** Runs until it is gone. */
  readonly live: (world: FlowWorld) => Promise<void>;
  /** Writes of every run, and how often each occurs. */
  readonly writes: Readonly<Record<string, number>>;
  /** Phases in its status, in order. */
  readonly phases: readonly string[];
  /** The number of times that it gives its quota back. */
  readonly releases: number;
}

const graces = { failureGracePeriodDuration: '0s', retryPausePeriodDuration: '0s' };

/** It runs, is suspended, runs again and succeeds. Later its resources are deleted, and then it is. */
const whole: WrapperLife = {
  name: 'whole',
  live: async (world) => {
    const templates = [
      wrappedPod('pod', { runFor: untilEnded }),
      wrappedJob('job', { runFor: untilEnded }),
      wrappedService('service'),
    ];
    await world.apply(
      appWrapper('whole', templates, { settings: { ...graces, successTTLDuration: '1s' } }),
    );
    await untilWrapperIs(world, 'whole', 'Running');
    await world.patch('AppWrapper', 'whole', { spec: { suspend: true } });
    await untilWrapperIs(world, 'whole', 'Suspended');
    await world.patch('AppWrapper', 'whole', { spec: { suspend: false } });
    await endWrappedPod(world, 'pod', 0);
    await world.endPod('job', 0);
    await untilWrapperIs(world, 'whole', 'Succeeded');
    await untilNothingIsLeftOf(world, 'whole');
    await world.delete('AppWrapper', 'whole');
    await untilWrapperIsGone(world, 'whole');
  },
  writes: {
    'status Suspended': 2,
    finalizers: 2,
    'status Resuming': 2,
    'create pods pod': 2,
    'create jobs job': 2,
    'create services service': 2,
    'status Running': 2,
    'create events Suspending': 1,
    'status Suspending': 1,
    'delete pods pod': 2,
    'delete jobs job': 2,
    'delete services service': 2,
    'status Succeeded': 1,
    'status that nothing is left': 1,
  },
  phases: [
    ...['Suspended', 'Resuming', 'Running', 'Suspending'],
    ...['Suspended', 'Resuming', 'Running', 'Succeeded'],
  ],
  releases: 2,
};

/** Its Pod fails twice, and then the AppWrapper fails. */
const unlucky: WrapperLife = {
  name: 'unlucky',
  live: async (world) => {
    const settings = { ...graces, retryLimit: '1' };
    await world.apply(appWrapper('unlucky', [wrappedPod('pod', { exitCode: 1 })], { settings }));
    await untilWrapperIs(world, 'unlucky', 'Failed');
    await untilNothingIsLeftOf(world, 'unlucky');
    await world.delete('AppWrapper', 'unlucky');
    await untilWrapperIsGone(world, 'unlucky');
  },
  writes: {
    'create pods pod': 2,
    'create events Unhealthy': 2,
    'status Resetting': 1,
    'delete pods pod': 2,
    'status that nothing is left': 2,
    'status Failed': 1,
  },
  phases: [
    ...['Suspended', 'Resuming', 'Running', 'Resetting'],
    ...['Resuming', 'Running', 'Failed'],
  ],
  releases: 1,
};

/** It is deleted while it runs. */
const cut: WrapperLife = {
  name: 'cut',
  live: async (world) => {
    const templates = [wrappedPod('pod', { runFor: untilEnded }), wrappedService('service')];
    await world.apply(appWrapper('cut', templates));
    await untilWrapperIs(world, 'cut', 'Running');
    await world.delete('AppWrapper', 'cut');
    await untilWrapperIsGone(world, 'cut');
  },
  writes: {
    'create pods pod': 1,
    'create services service': 1,
    'status Terminating': 1,
    'delete pods pod': 1,
    'delete services service': 1,
    'status that nothing is left': 1,
    finalizers: 2,
  },
  phases: ['Suspended', 'Resuming', 'Running', 'Terminating'],
  releases: 1,
};

export const wrapperLives: readonly WrapperLife[] = [whole, unlucky, cut];

/** Undefined: runs may differ in this write. */
export function purposeOf({ verb, plural, name, content }: SeenWrite): string | undefined {
  const { metadata, status, reason } = (content ?? {}) as {
    readonly metadata?: { readonly finalizers?: unknown };
    readonly status?: AppWrapperStatus;
    readonly reason?: string;
  };
  if (plural === 'events') return `create events ${reason ?? ''}`;
  if (plural !== 'appwrappers') return `${verb} ${plural} ${name}`;
  if (metadata?.finalizers !== undefined) return 'finalizers';
  if (status?.phase !== undefined) return `status ${status.phase}`;
  const isLeft = conditionStatus(status?.conditions, 'ResourcesDeployed') !== 'False';
  return isLeft ? undefined : 'status that nothing is left';
}

/** The faults of a completed life. */
export async function faultsOfLife(
  world: FlowWorld,
  { writes, phases, releases }: WrapperLife,
  history: ObjectHistory<KubeObject>,
  auditLog: string,
): Promise<readonly string[]> {
  const seen = history.sightings(world.namespace).map(({ object }) => statusOf(object));
  const shown = seen.flatMap(({ phase }) => phase ?? []);
  const quota = seen.map(({ conditions }) => conditionStatus(conditions, 'QuotaReserved'));
  const given = quota.filter((each, at) => each !== 'True' && quota[at - 1] === 'True');
  const created = await successfulCreates(auditLog, { namespace: world.namespace });
  const components = Object.entries(writes).flatMap(([purpose, times]) => {
    const [verb, resource, name] = purpose.split(' ');
    if (verb !== 'create' || resource === 'events') return [];
    const found = created.filter((each) => each.resource === resource && each.name === name);
    return found.length === times ? [] : [`${found.length} times ${purpose}, not ${times} times`];
  });
  const left = await world.kubectl(['get', 'pods,jobs,services', '-o', 'name']);
  const changes = shown.filter((phase, at) => phase !== shown[at - 1]);
  return [
    ...components,
    ...(changes.join() === phases.join() ? [] : [`was ${changes.join(', ')}`]),
    ...(given.length === releases ? [] : [`gave its quota back ${given.length} times`]),
    ...(left.trim() === '' ? [] : [`left ${left.trim().replaceAll('\n', ', ')}`]),
  ];
}
