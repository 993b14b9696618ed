/** Plays a demo of a flow, from applying it to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { FlowRecords } from './event-desk.ts';
import { FlowObserver, type FlowPicture } from '../picture/flow-picture.ts';
import { followObject } from '../picture/follow.ts';
import { type Delivered, interfere, isQuiet } from './interference.ts';
import type { Presenter } from '../picture/presenter.ts';
import type { DemoTarget } from './target.ts';

export interface Played {
  readonly flow: FlowPicture;
  readonly delivered: readonly Delivered[];
  /** Undefined: the journal cannot be reached. */
  readonly records: FlowRecords | undefined;
}

export interface PlayOptions {
  readonly target: DemoTarget;
  readonly flow: JobFlow;
  readonly presenter: Presenter;
  readonly timeoutMs: number;
  readonly onDelivered: (delivered: readonly Delivered[]) => void;
  /** Aborts with the reason to throw. */
  readonly signal: AbortSignal;
}

/** If the flow has no status after this time, no Millrace serves it. */
const servedWithinMs = 15_000;
/** After this time without a change, no event is under way. */
const quietMs = 250;

/** Throws CommandFailure if no Millrace serves the flow, if it is deleted, or if it takes too long. */
export async function play(options: PlayOptions): Promise<Played> {
  const stage = new Stage(options);
  const stop = new AbortController();
  const following = followObject(
    {
      client: options.target.client,
      resource: resources.JobFlow,
      object: options.flow,
      jobLabel: labels.flow,
      clock: systemClock,
      random: Math.random,
      onChange: (flow, jobs) => stage.changed(flow as JobFlow | undefined, jobs),
    },
    stop.signal,
  );
  try {
    await Promise.race([stage.ended, following, stage.watchTime(stop.signal)]);
    return await stage.result();
  } finally {
    stop.abort();
    await following;
  }
}

class Stage {
  readonly ended: Promise<void>;
  readonly #options: PlayOptions;
  readonly #observer: FlowObserver;
  readonly #startedMs = performance.now();
  readonly #jobsOfSteps = new Map<string, Uid>();
  #finish: { resolve: () => void; reject: (error: unknown) => void };
  #picture: FlowPicture | undefined;
  #isServed = false;
  #quiet: NodeJS.Timeout | undefined;
  #interference: Promise<readonly Delivered[]> | undefined;

  constructor(options: PlayOptions) {
    this.#options = options;
    this.#observer = new FlowObserver({ startedMs: this.#startedMs });
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.ended = promise;
    this.#finish = { resolve: () => resolve(undefined), reject };
    this.changed(options.flow, []);
  }

  changed(flow: JobFlow | undefined, jobs: readonly KubeObject[]): void {
    if (flow === undefined) {
      const { name } = this.#options.flow.metadata;
      const message = `JobFlow ${name} was deleted while it ran`;
      this.#finish.reject(new CommandFailure(exitCodes.notFound, message, 'millrace demo'));
      return;
    }
    this.#isServed ||= flow.status !== undefined;
    for (const { name, jobUID } of flow.status?.jobStatusList ?? []) {
      if (jobUID !== undefined) this.#jobsOfSteps.set(name, jobUID as Uid);
    }
    this.#picture = this.#observer.picture(flow, jobs, performance.now());
    this.#options.presenter.show(this.#picture);
    clearTimeout(this.#quiet);
    if (this.#picture.isEnded) this.#finish.resolve();
    else if (isQuiet(this.#picture)) this.#quiet = setTimeout(() => this.#interfere(), quietMs);
  }

  /** Rejects if it takes too long, and when `signal` of the options aborts. */
  async watchTime(stop: AbortSignal): Promise<never> {
    const { signal, timeoutMs, target } = this.#options;
    const pause = (ms: number) =>
      underEither([signal, stop], (either) => sleep(ms, undefined, { signal: either })).catch(
        () => undefined,
      );
    await pause(Math.min(servedWithinMs, timeoutMs));
    signal.throwIfAborted();
    if (!this.#isServed && !stop.aborted) throw notServed(target);
    await pause(Math.max(0, timeoutMs - servedWithinMs));
    signal.throwIfAborted();
    const name = this.#options.flow.metadata.name;
    throw new CommandFailure(
      exitCodes.timeout,
      `${name} has not ended after ${Math.round(timeoutMs / 1000)} s`,
      `kubectl describe ${resources.JobFlow.plural}.${resources.JobFlow.group}/${name}`,
    );
  }

  async result(): Promise<Played> {
    clearTimeout(this.#quiet);
    if (this.#picture === undefined) throw new Error('a flow ended that was never seen');
    this.#interference ??= this.#deliverAgain();
    const delivered = await this.#interference;
    const records = await this.#options.target.desk?.recordsOf(this.#options.flow.metadata.uid);
    return { flow: this.#picture, delivered, records };
  }

  #interfere(): void {
    this.#interference ??= this.#deliverAgain();
    // result() awaits it and reports the error.
    this.#interference.catch(() => undefined);
  }

  async #deliverAgain(): Promise<readonly Delivered[]> {
    const { target, flow, onDelivered } = this.#options;
    if (target.desk === undefined) return [];
    const ended = (this.#picture?.steps ?? []).flatMap(({ name, state }) => {
      const uid = this.#jobsOfSteps.get(name);
      return uid === undefined || (state !== 'Succeed' && state !== 'Failed')
        ? []
        : [{ step: name, uid }];
    });
    const delivered = await interfere(target.desk, flow.metadata.uid, ended);
    onDelivered(delivered);
    return delivered;
  }
}

function notServed({ describe }: DemoTarget): CommandFailure {
  return new CommandFailure(
    exitCodes.timeout,
    `no Millrace serves ${describe}: the flow has not been started for ${servedWithinMs / 1000} s`,
    'millrace run (against that cluster), then the demo again',
  );
}
