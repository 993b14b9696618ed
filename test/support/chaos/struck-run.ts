/** Runs the cases of every crash matrix: several at once, each with one fault at one write. */
import { eachBounded } from '#shared/kube/bounded.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { FaultPlan } from '../faulty-client.ts';
import type { FlowWorld } from '../flow-world.ts';
import type { ChaosStack } from './chaos-stack.ts';
import type { ThrowawayMillrace } from './throwaway-millrace.ts';

export interface StruckRun<Result> {
  /** The number of times that the fault struck. 0: this run has tested nothing. */
  readonly fired: number;
  readonly result: Result;
}

export interface Strike {
  readonly stack: ChaosStack;
  readonly world: FlowWorld;
  readonly plan: FaultPlan;
  /** Default: flow-advance. */
  readonly fn?: EventFunction;
}

/**
 * Runs `live` on a Millrace that the fault strikes. After a crash a new one without any memory replaces it;
 * `live` can ask for the current one. None is left running, even if `live` throws.
 */
export async function liveThroughFault<Result>(
  { stack, world, plan, fn }: Strike,
  live: (current: () => ThrowawayMillrace) => Promise<Result>,
): Promise<StruckRun<Result>> {
  const first = stack.millrace(world, plan, fn);
  let current = first;
  const successor = plan.fault.startsWith('crash')
    ? first.client.whenFired.then(async () => {
        await first.discard();
        current = stack.millrace(world, undefined, fn);
      })
    : undefined;
  try {
    const result = await live(() => current);
    return { fired: first.client.fired, result };
  } finally {
    if (first.client.fired > 0) await successor;
    await current.discard();
  }
}

/** At most `limit` at a time. When all started cases have ended, throws every failure. */
export async function eachCase<Case, Result>(
  cases: readonly Case[],
  limit: number,
  run: (item: Case, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const { results, errors } = await eachBounded([...cases.entries()], limit, ([index, item]) =>
    run(item, index),
  );
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('\n'));
  return results;
}
