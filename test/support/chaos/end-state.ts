/**
 * The end state of a namespace without uids, timestamps and versions, which differ between two
 * runs.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { FlowWorld } from '../flow-world.ts';

const rfc3339 = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g;

/** Two runs with the same end give equal values. A uid is replaced by its object. */
export function endStateOf(world: FlowWorld, flow: string): unknown {
  const object = world.flow(flow);
  const jobs = world.jobs().toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  const names = new Map(
    [object, ...jobs].flatMap((each) =>
      each === undefined ? [] : [[each.metadata.uid as string, `uid of ${each.metadata.name}`]],
    ),
  );
  const state = {
    flow: { metadata: lasting(object), spec: object?.spec, status: object?.status },
    jobs: jobs.map((job) => ({
      metadata: lasting(job),
      spec: job.spec,
      succeeded: job.status?.succeeded,
      failed: job.status?.failed,
      conditions: job.status?.conditions?.map(({ type, status }) => `${type}=${status}`).toSorted(),
    })),
  };
  return JSON.parse(named(JSON.stringify(state), names).replaceAll(rfc3339, 'time')) as unknown;
}

function lasting(object: KubeObject | undefined) {
  if (object === undefined) return undefined;
  const { name, labels, annotations: all = {}, finalizers, ownerReferences } = object.metadata;
  // Each run has other event ids as causes of writes.
  const kept = Object.entries(all).filter(([key]) => key !== annotations.causedBy);
  return {
    name,
    labels,
    annotations: Object.fromEntries(kept),
    finalizers,
    ownerReferences,
  };
}

function named(text: string, names: ReadonlyMap<string, string>): string {
  return [...names].reduce((all, [uid, name]) => all.replaceAll(uid, name), text);
}
