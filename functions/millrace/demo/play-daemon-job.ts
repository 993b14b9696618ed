/** One run of a demo of a DaemonJob, from applying it to its end. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { labels } from '#shared/domain/labels.ts';
import { isControlledBy, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { failAfter } from './fail-after.ts';
import { createUnderFreeName } from './apply-demo.ts';
import type { DaemonJobDemo } from './catalogue.ts';
import { DaemonJobObserver } from './daemon-picture.ts';
import type { FlowPicture } from './flow-picture.ts';
import type { Presenter } from './presenter.ts';
import type { DemoTarget } from './target.ts';

export interface PlayDaemonJobOptions {
  readonly target: DemoTarget;
  readonly demo: DaemonJobDemo;
  readonly presenter: Presenter;
  readonly timeoutMs: number;
  /** Aborts with a reason that is thrown. */
  readonly signal: AbortSignal;
}

/** Throws CommandFailure when it vanishes and when it takes too long. */
export async function playDaemonJob(options: PlayDaemonJobOptions): Promise<FlowPicture> {
  const { target, demo, signal, timeoutMs } = options;
  const { daemonJob } = demo;
  const wanted = {
    ...daemonJob,
    metadata: { ...daemonJob.metadata, name: `demo-${daemonJob.metadata.name}` },
  };
  const { client, namespace } = target;
  const created = await createUnderFreeName(client, resources.DaemonJob, wanted, namespace);
  const stop = new AbortController();
  const ended = Promise.withResolvers<FlowPicture>();
  const following = follow(created as DaemonJob, options, ended, stop.signal);
  try {
    const { name } = created.metadata;
    const failure = `${name} has not ended`;
    const next = `kubectl describe mdj ${name}`;
    const late = failAfter({ timeoutMs, failure, next, signal }, stop.signal);
    return await Promise.race([ended.promise, late]);
  } finally {
    stop.abort();
    await following;
  }
}

function follow(
  created: DaemonJob,
  { target, presenter }: PlayDaemonJobOptions,
  ended: PromiseWithResolvers<FlowPicture>,
  signal: AbortSignal,
): Promise<unknown> {
  const { name, uid } = created.metadata;
  const observer = new DaemonJobObserver(performance.now());
  const jobs = new Map<string, KubeObject>();
  let daemonJob: DaemonJob | undefined = created;
  const show = (): void => {
    if (daemonJob === undefined) {
      const message = `DaemonJob ${name} was deleted while it ran`;
      ended.reject(new CommandFailure(exitCodes.notFound, message, 'millrace demo daemonjob'));
      return;
    }
    const picture = observer.picture(daemonJob, jobs.values(), performance.now());
    presenter.show(picture);
    if (picture.isEnded) ended.resolve(picture);
  };
  const keepOwner = ({ type, object }: Change): void => {
    if (object.metadata.uid !== uid) return;
    daemonJob = type === 'changed' ? (object as DaemonJob) : undefined;
  };
  const keepJob = ({ type, object }: Change): void => {
    if (!isControlledBy(object.metadata, uid)) return;
    if (type === 'changed') jobs.set(object.metadata.uid, object);
    else jobs.delete(object.metadata.uid);
  };
  const deliver = (keep: (change: Change) => void) => async (changes: readonly Change[]) => {
    changes.forEach(keep);
    show();
  };
  const { client, namespace } = target;
  const common = { client, namespace, clock: systemClock, random: Math.random };
  const labelSelector = `${labels.daemonJob}=${name}`;
  const reflectors = [
    new Reflector({ ...common, resource: resources.DaemonJob, deliver: deliver(keepOwner) }),
    new Reflector({ ...common, resource: resources.Job, labelSelector, deliver: deliver(keepJob) }),
  ];
  return Promise.all(reflectors.map((reflector) => reflector.run(signal)));
}
