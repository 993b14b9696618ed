/** `millrace watch NAME`: redraws the tree of `get` until the object has ended. */
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { failAfter } from '../demo/fail-after.ts';
import { findOne } from '../find-named.ts';
import { interruption } from '../interruption.ts';
import { openCluster } from '../open-cluster.ts';
import type { FlowPicture } from '../picture/flow-picture.ts';
import { followObject } from '../picture/follow.ts';
import { jobsOf } from '../picture/jobs-of.ts';
import { pictureOfPart, requirePartOf } from '../picture/of-part.ts';
import { picturedKinds } from '../picture/pictured-kinds.ts';
import { createPresenter } from '../picture/presenter.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import type { WatchOptions } from './get-options.ts';

/** Returns 0 if it succeeded, and 7 if it failed. Throws CommandFailure. */
export async function watch(what: string, options: WatchOptions): Promise<number> {
  const signal = interruption();
  await using cluster = await openCluster(options, 'watch');
  const { kind, object, named } = await findOne(what, picturedKinds, cluster);
  const { resource, jobLabel } = kind;
  const { part } = named;
  const observe = kind.observer(object);
  const found = await jobsOf(kind, object, cluster);
  if (part !== undefined) {
    requirePartOf(observe(object, found, cluster.nowMs()), resource.kind, part);
  }
  const presenter = createPresenter({
    output: process.stdout,
    appearance: appearanceOf(process.stdout, options, process.env),
    nowMs: cluster.nowMs,
  });
  const ended = Promise.withResolvers<FlowPicture>();
  const stop = new AbortController();
  const following = followObject(
    {
      ...{ client: cluster.client, resource, object, jobs: found },
      ...(jobLabel === undefined ? {} : { jobLabel }),
      ...{ clock: systemClock, random: Math.random },
      onChange: (latest, jobs) => {
        if (latest === undefined) {
          const message = `${resource.kind} ${object.metadata.name} was deleted`;
          ended.reject(new CommandFailure(exitCodes.notFound, message, 'millrace get'));
          return;
        }
        const whole = observe(latest, jobs, cluster.nowMs());
        const picture = part === undefined ? whole : pictureOfPart(whole, part);
        presenter.show(picture);
        if (picture.isEnded) ended.resolve(picture);
      },
    },
    stop.signal,
  );
  try {
    const picture = await Promise.race([
      ended.promise,
      endOfPatience(what, options, signal, stop.signal),
    ]);
    return picture.hasFailed ? exitCodes.flowFailed : 0;
  } finally {
    presenter.end();
    stop.abort();
    await following;
  }
}

/** Rejects when the time is up, or on an interrupt. */
function endOfPatience(
  what: string,
  { timeout }: WatchOptions,
  signal: AbortSignal,
  stop: AbortSignal,
): Promise<never> {
  const failure = `${what} has not ended`;
  const timeoutMs = timeout === undefined ? longestTimerMs : timeout * 1_000;
  return failAfter({ timeoutMs, failure, next: `millrace why ${what}`, signal }, stop);
}

/** Some 24 days. */
const longestTimerMs = 2 ** 31 - 1;
