import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import {
  isControlledBy,
  type KubeObject,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import type { Change } from '#shared/kube/reflector-options.ts';

export interface FollowOptions {
  readonly client: KubeClient;
  readonly resource: Resource;
  /** The object as it was found or created. */
  readonly object: KubeObject;
  /** The label of its Jobs with its name. Absent: there is none. */
  readonly jobLabel?: string;
  /** Its Jobs as they were found. An object that has ended is shown before its Jobs are listed again. */
  readonly jobs?: readonly KubeObject[];
  readonly clock: WaitingClock;
  readonly random: Random;
  /** Called after every change, with the Jobs that the object controls. Undefined: the object was deleted. */
  readonly onChange: (object: KubeObject | undefined, jobs: readonly KubeObject[]) => void;
}

/** Watches one object and its Jobs until `signal` aborts. Reconnects after a failure. */
export async function followObject(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { client, resource, object, jobLabel, clock, random, onChange } = options;
  const { namespace, name } = objectName(object.metadata);
  const { uid } = object.metadata;
  let latest: KubeObject | undefined = object;
  const jobs = new Map(
    (options.jobs ?? [])
      .filter(({ metadata }) => isControlledBy(metadata, uid))
      .map((job) => [job.metadata.uid, job]),
  );
  const keepObject = ({ type, object: changed }: Change): void => {
    if (changed.metadata.uid !== uid) return;
    latest = type === 'changed' ? changed : undefined;
  };
  const keepJob = ({ type, object: job }: Change): void => {
    if (!isControlledBy(job.metadata, uid)) return;
    if (type === 'changed') jobs.set(job.metadata.uid, job);
    else jobs.delete(job.metadata.uid);
  };
  const deliver = (keep: (change: Change) => void) => async (changes: readonly Change[]) => {
    changes.forEach(keep);
    onChange(latest, [...jobs.values()]);
  };
  const common = { client, clock, random, namespace };
  const reflectors = [new Reflector({ ...common, resource, deliver: deliver(keepObject) })];
  if (jobLabel !== undefined) {
    const labelSelector = `${jobLabel}=${name}`;
    const wanted = { resource: resources.Job, labelSelector, deliver: deliver(keepJob) };
    reflectors.push(new Reflector({ ...common, ...wanted }));
  }
  await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
}
