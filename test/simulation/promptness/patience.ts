/** How late a reaction may be, from what is known of its way. Virtual milliseconds. */
import type { Scenario } from '../scenario.ts';
import type { LatencyProfile } from '../world/latency.ts';

/**
 * From the commit of a cause to the commit of the write: some twenty ways between processes one after
 * another (the watch, the records, the queue, the reads, the creates, the Events, the status), as many
 * again for the pass that was under way when the cause came, and more for a conflict. Several flows
 * share the workers. Measured: 0.07, 8 and 38 s at most in 800 runs.
 */
const waysMs: Readonly<Record<LatencyProfile, number>> = {
  calm: 250,
  busy: 20_000,
  wild: 60_000,
};

/** Jobs that a run of those measured has, about. */
const usualJobs = 8;
/** Of a Job, from its creation to its end. */
const changesPerJob = 6;
/** Each change is recorded and enqueued before the next, unless they are told of in batches. */
const waysPerChange = 2;
/** Of one way, by latency.ts. */
const meanWayMs: Readonly<Record<LatencyProfile, number>> = { calm: 2, busy: 62, wild: 265 };

/** The longest time that a flow of a scenario waits for: its start deadline. */
const longestWaitMs = 60_000;

/** Of the Date of an answer. */
const resolutionMs = 1_000;

/** Nobody tells when a name is free or a create is allowed again; it is asked for this often. */
export const refusedMs = 10_000;

export function patienceMs(scenario: Scenario): number {
  const { latency, clocks } = scenario;
  return waysMs[latency] + backlogMs(scenario) + clocksMs(clocks);
}

/** Where changes are told of one by one, those of many Jobs wait for one another. */
function backlogMs(scenario: Scenario): number {
  if (scenario.batchLimit > 1) return 0;
  const more = Math.max(0, jobsOf(scenario) - usualJobs);
  return more * changesPerJob * waysPerChange * meanWayMs[scenario.latency];
}

function jobsOf({ flows, fleet, nights }: Scenario): number {
  const ofFlows = flows.reduce((sum, { steps }) => sum + steps.length, 0);
  const ofFleet = (fleet?.daemonJobs.length ?? 0) * (fleet?.nodes.length ?? 0);
  return ofFlows + ofFleet + (nights?.jobs.length ?? 0);
}

/**
 * What is due by one clock is waited for by others; a process whose own is wrong has the server's from
 * answers, to the second.
 */
function clocksMs(clocks: Scenario['clocks']): number {
  if (clocks === undefined) return 0;
  const drifts = [clocks.server, clocks.store, ...clocks.processes].map(({ driftPpm }) => driftPpm);
  return resolutionMs + ((Math.max(...drifts) - Math.min(...drifts)) / 1e6) * longestWaitMs;
}
