/** Plays a demo of a DaemonJob, from applying it to its end. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { failAfter } from './fail-after.ts';
import { createUnderFreeName } from './apply-demo.ts';
import type { DaemonJobDemo } from './catalogue.ts';
import { DaemonJobObserver } from '../picture/daemon-picture.ts';
import type { FlowPicture } from '../picture/flow-picture.ts';
import { followObject } from '../picture/follow.ts';
import type { Presenter } from '../picture/presenter.ts';
import type { DemoTarget } from './target.ts';

export interface PlayDaemonJobOptions {
  readonly target: DemoTarget;
  readonly demo: DaemonJobDemo;
  readonly presenter: Presenter;
  readonly timeoutMs: number;
  /** Aborts with the reason to throw. */
  readonly signal: AbortSignal;
}

/** Throws CommandFailure if the DaemonJob is deleted or takes too long. */
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
  const observer = new DaemonJobObserver({ startedMs: performance.now() });
  const show = (daemonJob: KubeObject | undefined, jobs: readonly KubeObject[]): void => {
    if (daemonJob === undefined) {
      const message = `DaemonJob ${created.metadata.name} was deleted while it ran`;
      ended.reject(new CommandFailure(exitCodes.notFound, message, 'millrace demo daemonjob'));
      return;
    }
    const picture = observer.picture(daemonJob as DaemonJob, jobs, performance.now());
    presenter.show(picture);
    if (picture.isEnded) ended.resolve(picture);
  };
  const wanted = { resource: resources.DaemonJob, object: created, jobLabel: labels.daemonJob };
  const { client } = target;
  const followed = { ...wanted, client, clock: systemClock, random: Math.random, onChange: show };
  return followObject(followed, signal);
}
