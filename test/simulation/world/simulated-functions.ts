/** Which functions run in a simulated world: those that decide about what a scenario has. */
import { functions } from '#functions/list.ts';
import { flowAdvance } from '#functions/flow-advance/function.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Scenario } from '../scenario.ts';

/** Without DaemonJobs nobody follows nodes: other seeds meet what they met before there were any. */
export function functionsOf({ fleet }: Scenario): readonly EventFunction[] {
  return fleet === undefined ? [flowAdvance] : functions;
}
