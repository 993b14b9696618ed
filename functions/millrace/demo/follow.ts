import type { JobFlow } from '#shared/api/job-flow.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { labels } from '#shared/domain/labels.ts';
import { isControlledBy, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import type { Change } from '#shared/kube/reflector-options.ts';

export interface FollowOptions {
  readonly client: KubeClient;
  /** As it was created. */
  readonly flow: JobFlow;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** After every change; the Jobs are those of the flow. */
  readonly onChange: (flow: JobFlow | undefined, jobs: readonly KubeObject[]) => void;
}

/** Watches one flow and its Jobs until `signal` aborts. A broken connection is made anew. */
export async function followFlow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, random, onChange } = options;
  const { namespace = '', name, uid } = options.flow.metadata;
  let flow: JobFlow | undefined = options.flow;
  const jobs = new Map<string, KubeObject>();
  const keepFlow = ({ type, object }: Change): void => {
    if (object.metadata.uid !== uid) return;
    flow = type === 'changed' ? (object as JobFlow) : undefined;
  };
  const keepJob = ({ type, object }: Change): void => {
    if (!isControlledBy(object.metadata, uid)) return;
    if (type === 'changed') jobs.set(object.metadata.uid, object);
    else jobs.delete(object.metadata.uid);
  };
  const deliver = (keep: (change: Change) => void) => async (changes: readonly Change[]) => {
    changes.forEach(keep);
    onChange(flow, [...jobs.values()]);
  };
  const common = { client, clock, random, namespace };
  const labelSelector = `${labels.flow}=${name}`;
  const reflectors = [
    new Reflector({ ...common, resource: resources.JobFlow, deliver: deliver(keepFlow) }),
    new Reflector({ ...common, resource: resources.Job, labelSelector, deliver: deliver(keepJob) }),
  ];
  await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
}
