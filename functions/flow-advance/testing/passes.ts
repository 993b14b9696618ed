/** One pass for the flow's work item, as in the runtime: observe, decide, apply. */
import type { Decision } from '#shared/domain/decision.ts';
import { deepFrozen } from '#shared/domain/testing/lawful-decision.ts';
import { decide } from '../decide.ts';
import { observe } from '../observe.ts';
import { withRejections, type FlowSnapshot } from '../snapshot.ts';
import type { ModelCluster } from './model-cluster.ts';

/** The process ends after `crashAfter` writes. Returns the last applied decision. Undefined: the flow is gone. */
export async function pass(
  cluster: ModelCluster,
  crashAfter = Infinity,
): Promise<Decision | undefined> {
  const snapshot = await observe(cluster.key, cluster);
  if (snapshot === undefined) return undefined;
  const decision = decideOn(cluster, snapshot);
  const applied = cluster.apply(decision.plan, crashAfter);
  if (applied.kind !== 'rejected') return decision;
  const second = decideOn(cluster, withRejections(snapshot, applied.rejections));
  cluster.apply(second.plan);
  return second;
}

function decideOn(cluster: ModelCluster, snapshot: FlowSnapshot): Decision {
  const input = { nowMs: cluster.nowMs };
  const decision = decide(deepFrozen(snapshot), input);
  cluster.onDecision({ snapshot, input, decision });
  return decision;
}

/**
 * Runs passes until nothing more is written, because every write causes an event. Returns when the last decision wants
 * to be made again. Fails if this never happens.
 */
export async function quiesce(cluster: ModelCluster, limit = 50): Promise<number | undefined> {
  for (let round = 0; round < limit; round += 1) {
    const writes = cluster.writes;
    const decision = await pass(cluster);
    const isAtOnce = (decision?.requeueAtMs ?? Infinity) <= cluster.nowMs;
    if (cluster.writes === writes && !isAtOnce) return decision?.requeueAtMs;
  }
  throw new Error('the flow does not come to rest');
}
