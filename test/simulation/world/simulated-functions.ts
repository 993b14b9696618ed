/** Which functions run in a simulated world: those that decide about what a scenario has. */
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import { judgedKinds } from '../model/kinds.ts';
import type { Scenario } from '../scenario.ts';

/** Without DaemonJobs nobody follows nodes, and without policies nobody the Jobs of others. */
export function functionsOf(scenario: Scenario): readonly EventFunction[] {
  return kindsOf(scenario).map(({ fn }) => fn);
}

/** Whose decisions are judged in it. */
export function kindsOf(scenario: Scenario): readonly JudgedKind[] {
  return judgedKinds.filter((kind) => kind.plays(scenario));
}
