import { describe, expect, it } from 'vitest';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { createSandbox } from '../sandbox.ts';
import { createControllers } from './create-controllers.ts';
import type { Controller } from './controller.ts';
import { createNodes } from './node/create-nodes.ts';
import { SimulatedRuntime } from './pod/simulated-runtime.ts';
import { ReviewedApi } from './reviewed-api.ts';
import { runControllers, type RunOptions } from './run-controllers.ts';
import { job } from './testing/controller-world.ts';

/** Time passes only during a sleep, and then at once. */
function leapingClock(): WaitingClock {
  let nowMs = 1_000_000;
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (ms, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted !== true && ms < 3_600_000) nowMs += ms;
    },
  };
}

function world() {
  const clock = leapingClock();
  const { api: plain } = createSandbox({ clock, random: Math.random });
  const api = new ReviewedApi(plain);
  const errors: unknown[] = [];
  const onError: RunOptions['onError'] = (_turn, error) => errors.push(error);
  const jobs = api.types.all().find(({ plural }) => plural === 'jobs')!;
  const place = { type: jobs, namespace: 'default', subresource: '', options: {} } as const;
  return {
    ...{ api, clock, errors },
    start: (controllers: readonly Controller[]) =>
      runControllers(controllers, { api, clock, random: Math.random, onError }),
    create: () => api.handleNow({ ...place, verb: 'create', name: '', body: job() as never }),
    completed: () => {
      const { status } = api.store.get(jobs, 'default', 'work') ?? {};
      return (status as { completionTime?: string } | undefined)?.completionTime !== undefined;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000; round += 1) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came true');
}

describe('running controllers', () => {
  it('carry a Job that was there before them, and one that comes later, to its end', async () => {
    const { api, clock, errors, start, create, completed } = world();
    createNodes(api, 1);
    create();
    const runtime = new SimulatedRuntime();
    const running = start(createControllers({ api, clock, runtime }));
    await until(completed);
    await running.stop();
    expect(errors).toEqual([]);
  });

  it('try a turn that failed again, later and later', async () => {
    const { api, clock, errors, start } = world();
    const tries: number[] = [];
    const failing: Controller = {
      name: 'failing',
      keysFor: () => ['key'],
      reconcile: () => {
        tries.push(clock.now());
        if (tries.length < 4) throw new Error('not yet');
        return undefined;
      },
    };
    createNodes(api, 1);
    const running = start([failing]);
    await until(() => tries.length === 4);
    await running.stop();
    expect(errors).toHaveLength(3);
    expect(tries.slice(1).map((ms, index) => ms - (tries[index] ?? 0))).toEqual([10, 20, 40]);
  });

  it('have a turn when something happened that is no write', async () => {
    const { start } = world();
    const turns: string[] = [];
    let wake: (key: string) => void = () => undefined;
    const running = start([
      {
        name: 'woken',
        keysFor: () => [],
        reconcile: (key) => {
          turns.push(key);
          return undefined;
        },
        wakeBy: (given) => {
          wake = given;
        },
      },
    ]);
    wake('process ended');
    await until(() => turns.length === 1);
    await running.stop();
    expect(turns).toEqual(['process ended']);
  });
});
