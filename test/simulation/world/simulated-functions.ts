/** Which functions run in a simulated world: those that decide about what a scenario has. */
import { flowAdvance } from '#functions/flow-advance/function.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import { judgedKinds } from '../model/kinds.ts';
import type { Scenario } from '../scenario.ts';

/** Without DaemonJobs nobody follows nodes: other seeds meet what they met before there were any. */
export function functionsOf({ fleet }: Scenario): readonly EventFunction[] {
  return fleet === undefined ? [flowAdvance] : judgedKinds.map(({ fn }) => fn);
}

/** Whose decisions are judged in it. */
export function kindsOf(scenario: Scenario): readonly JudgedKind[] {
  const functions = functionsOf(scenario);
  return judgedKinds.filter(({ fn }) => functions.includes(fn));
}
