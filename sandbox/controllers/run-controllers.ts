/** Runs controllers by a clock, in real time or not. */
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { StoreEvent } from '../store/object-store.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { ControllerQueue, type Turn } from './controller-queue.ts';
import { AwaitsReview, type Reviewed, type ReviewedApi } from './reviewed-api.ts';

export interface RunOptions {
  readonly api: ReviewedApi;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** Called for each failed turn. The turn is tried again. */
  readonly onError: (turn: Turn, error: unknown) => void;
}

export interface RunningControllers {
  /** Resolves after the current turn. */
  stop(): Promise<void>;
}

// After this many turns, some 4 ms, the rest of the process has its turn.
const turnsAtOnce = 16;
const firstRetryMs = 5;
const longestRetryMs = 60_000;
const longestSleepMs = 3_600_000;
// Limit for unused reviews in a row. A turn that decides differently after each review is retried
// later, like a failed one.
const mostUnusedReviews = 5;

/** Begins with all existing objects. */
export function runControllers(
  controllers: readonly Controller[],
  options: RunOptions,
): RunningControllers {
  const queue = new ControllerQueue(controllers);
  let isStopped = false;
  const failures = new Map<string, number>();
  // Turns that wait for a webhook, and whether the same key became dirty again meanwhile.
  const waiting = new Map<string, 'once' | 'again'>();
  let woken = new AbortController();
  const wake = (): void => {
    // With a reason: without one, creating the default error costs more than many a turn.
    if (!woken.signal.aborted) woken.abort('woken');
  };
  const unsubscribe = options.api.store.onChange((event) => {
    queue.observe(event);
    if (!queue.isEmpty) wake();
  });
  for (const controller of controllers) {
    controller.wakeBy?.((key) => {
      queue.add({ controller, key });
      wake();
    });
  }
  for (const event of presentObjects(options.api)) queue.observe(event);
  const done = loop();
  return {
    stop: async () => {
      isStopped = true;
      wake();
      unsubscribe();
      await done;
    },
  };

  async function loop(): Promise<void> {
    while (!isStopped) {
      queue.wake(options.clock.now());
      for (let turn = 0; turn < turnsAtOnce && !queue.isEmpty; turn += 1) runTurn();
      woken = new AbortController();
      await options.clock.sleep(queue.isEmpty ? restMs() : 0, woken.signal);
    }
  }

  function restMs(): number {
    const { nextMs = Infinity } = queue;
    return Math.max(0, Math.min(longestSleepMs, nextMs - options.clock.now()));
  }

  function runTurn(): void {
    const turn = queue.take();
    if (turn === undefined) return;
    const id = idOf(turn);
    if (waiting.has(id)) waiting.set(id, 'again');
    else play({ turn, id, nowMs: options.clock.now(), unused: 0 });
  }

  function play(round: Round, reviewed?: Reviewed): void {
    const { turn, id, nowMs } = round;
    // Stops during a turn, so that a repeated turn decides the same.
    const clock = { now: () => nowMs };
    const { controller, key } = turn;
    const { result, isUsed } = options.api.play(reviewed, () =>
      controller.reconcile(key, { ...options, clock }),
    );
    try {
      queue.lookAgain(turn, result());
      failures.delete(id);
    } catch (error) {
      const unused = reviewed === undefined || isUsed ? 0 : round.unused + 1;
      if (error instanceof AwaitsReview && unused < mostUnusedReviews) {
        waiting.set(id, 'once');
        void playAfter(error, { ...round, unused });
      } else failed(turn, id, error);
    }
  }

  async function playAfter(awaited: AwaitsReview, round: Round): Promise<void> {
    const reviewed = await awaited.review();
    const isDue = waiting.get(round.id) === 'again';
    waiting.delete(round.id);
    if (isStopped) return;
    if (isDue) queue.add(round.turn);
    play(round, reviewed);
    wake();
  }

  function failed(turn: Turn, id: string, error: unknown): void {
    const count = (failures.get(id) ?? 0) + 1;
    failures.set(id, count);
    const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** count);
    queue.lookAgain(turn, options.clock.now() + delayMs);
    options.onError(turn, error);
  }
}

/** A turn with all the reviews that it waits for. */
interface Round {
  readonly turn: Turn;
  readonly id: string;
  /** Start of the turn in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Number of reviews in a row that the turn did not use. */
  readonly unused: number;
}

const idOf = ({ controller, key }: Turn): string => `${controller.name} ${key}`;

/** Presents every object as just created, as a controller sees it after a restart. */
export function presentObjects({ store, types }: ControllerContext['api']): readonly StoreEvent[] {
  const seen = new Set<string>();
  return types.all().flatMap((resourceType) => {
    const name = `${resourceType.group}/${resourceType.plural}`;
    if (seen.has(name)) return [];
    seen.add(name);
    const { revision } = store;
    return store
      .list(resourceType)
      .map((object) => ({ type: 'ADDED', resourceType, object, revision }) as const);
  });
}
