import { clusterHappenings, type Scenario } from '../scenario.ts';

/**
 * Whether no reaction needs the sweep. That holds if nothing fails, no Job loses its label, and no
 * change waits for the election of a bridge. No clock may be set either; the server's is set to the
 * controllers' time at the end of faults. Then there is no sweep, so that a change that only a sweep
 * would find is never found.
 */
export function isUndisturbed(scenario: Scenario): boolean {
  const { faults, happenings, clocks, elects, nights, queues } = scenario;
  return (
    // A policy suspends objects that others wait for.
    nights === undefined &&
    queues === undefined &&
    Object.keys(faults).length === 0 &&
    elects !== true &&
    happenings.every(({ kind }) => !disturbing.has(kind)) &&
    clocks?.server.offsetMs === clocks?.controllers.offsetMs
  );
}

const disturbing: ReadonlySet<string> = new Set([...clusterHappenings, 'relabelChild']);
