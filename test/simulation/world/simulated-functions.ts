/** The functions in a simulated world: those that a scenario has objects for. */
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import { judgedKinds } from '../model/kinds.ts';
import type { Scenario } from '../scenario.ts';

/** Without DaemonJobs no nodes are watched, and without policies no independent Jobs. */
export function functionsOf(scenario: Scenario): readonly EventFunction[] {
  return kindsOf(scenario).map(({ fn }) => fn);
}

/** The kinds whose decisions are judged in it. */
export function kindsOf(scenario: Scenario): readonly JudgedKind[] {
  return judgedKinds.filter((kind) => kind.plays(scenario));
}
