/** Invariants at rest: nothing more is required, and every end has its reason. */
import { decisionVerdict } from './decision-faults.ts';
import { endFaults, type Past } from './ends.ts';
import type { Look } from './look.ts';
import { timeFaults } from './times.ts';

export interface Rest {
  /** The truth: the current flow, its Jobs and all JobTemplates. */
  readonly look: Look;
  readonly past: Past;
  /** No clock was ever wrong. */
  readonly clocksAreRight: boolean;
}

export function restFaults({ look, past, clocksAreRight }: Rest): readonly string[] {
  const left = decisionVerdict(look, { plan: [], reasons: [] }).faults;
  return [
    ...left.map((fault) => fault.replace('model,', 'model, at rest,')),
    ...endFaults(past).map((fault) => `model, ends: ${fault}`),
    ...(clocksAreRight ? timeFaults(look.flow) : []).map((fault) => `model, times: ${fault}`),
  ].map((fault) => `${fault} (${look.flow.metadata.name})`);
}
