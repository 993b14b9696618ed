import { clusterHappenings, type Scenario } from '../scenario.ts';

/**
 * Whether no reaction needs the sweep: nothing fails, nobody takes the label away by which a Job is
 * followed, no change waits for a bridge to be elected, and no clock is set, as the server's is at the
 * end of faults to what the controllers' has shown. Then nobody sweeps, so that what only a sweep would
 * find is never found.
 */
export function isUndisturbed(scenario: Scenario): boolean {
  const { faults, happenings, clocks, elects, nights, queues } = scenario;
  return (
    // A policy suspends what others are waiting for.
    nights === undefined &&
    queues === undefined &&
    Object.keys(faults).length === 0 &&
    elects !== true &&
    happenings.every(({ kind }) => !disturbing.has(kind)) &&
    clocks?.server.offsetMs === clocks?.controllers.offsetMs
  );
}

const disturbing: ReadonlySet<string> = new Set([...clusterHappenings, 'relabelChild']);
