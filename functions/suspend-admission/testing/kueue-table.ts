/** Kueue's table for Jobs with a parent of an external kind. Here the parent is a JobFlow. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { type ObjectFields, queueLabel } from './reviews.ts';

export const apiVersion = 'api.practice.com/v1alpha1';
export const queue = { [queueLabel]: 'team-queue' };
/** Kueue manages these if the kinds of Millrace are not registered. */
export const unregistered: ReadonlySet<string> = new Set(['Job.v1.batch']);

export interface Parent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
}

/** An existing parent. */
export function parent(labels: Readonly<Record<string, string>> = {}, name = 'etl-flow'): Parent {
  return { apiVersion, kind: 'JobFlow', metadata: { name, namespace: 'team-a', labels } };
}

/** The first of `knownCluster` has the uid u-0. */
export const owner = (fields: JsonObject = {}): JsonObject => ({
  ...{ apiVersion, kind: 'JobFlow', name: 'etl-flow', uid: 'u-0', controller: true },
  ...fields,
});

export interface Row {
  readonly row: string;
  readonly child: ObjectFields;
  readonly parents?: readonly Parent[];
  /** Default true: Kueue manages the kind of the parent. */
  readonly isRegistered?: false;
  /** For manageJobsWithoutQueueName false and true. */
  readonly suspended: readonly [boolean, boolean];
}

export const table: readonly Row[] = [
  {
    row: 'the parent is registered and labelled, the child is not labelled',
    child: { ownerReferences: [owner()] },
    parents: [parent(queue)],
    suspended: [false, false],
  },
  {
    row: 'the parent is registered and not labelled',
    child: { ownerReferences: [owner()] },
    parents: [parent()],
    suspended: [false, false],
  },
  {
    row: 'the parent is registered, both are labelled',
    child: { labels: queue, ownerReferences: [owner()] },
    parents: [parent(queue)],
    suspended: [false, false],
  },
  {
    row: 'the parent is registered and not labelled, the child is labelled',
    child: { labels: queue, ownerReferences: [owner()] },
    parents: [parent()],
    suspended: [true, false],
  },
  {
    row: 'the parent is not registered, the child is not labelled',
    child: { ownerReferences: [owner()] },
    parents: [parent(queue)],
    isRegistered: false,
    suspended: [false, true],
  },
  {
    row: 'the parent is not registered, the child has the label of a default queue',
    child: { labels: { [queueLabel]: 'default' }, ownerReferences: [owner()] },
    parents: [parent()],
    isRegistered: false,
    suspended: [true, true],
  },
  {
    row: 'the owner is no controller',
    child: { labels: queue, ownerReferences: [owner({ controller: false })] },
    parents: [parent(queue)],
    suspended: [true, true],
  },
  {
    row: 'the owner is no controller, the child is not labelled',
    child: { ownerReferences: [owner({ controller: false })] },
    parents: [parent(queue)],
    suspended: [false, true],
  },
  {
    row: 'the owner has another uid than the reference says',
    child: { labels: queue, ownerReferences: [owner({ uid: 'stale' })] },
    parents: [parent(queue)],
    suspended: [true, true],
  },
  {
    row: 'the owner is gone',
    child: { labels: queue, ownerReferences: [owner()] },
    suspended: [true, true],
  },
  {
    row: 'the owner is of a kind that Kueue does not know',
    child: { labels: queue, ownerReferences: [owner({ apiVersion: 'apps/v1', kind: 'CronTab' })] },
    suspended: [true, true],
  },
  { row: 'it has neither an owner nor a label', child: {}, suspended: [false, true] },
  { row: 'it has no owner but a label', child: { labels: queue }, suspended: [true, true] },
  {
    row: 'the label is empty',
    child: { labels: { [queueLabel]: '' } },
    suspended: [false, true],
  },
];
