/** The largest delay of a reaction, from what is known about its path. Virtual milliseconds. */
import type { Scenario } from '../scenario.ts';
import type { LatencyProfile } from '../world/latency.ts';

/**
 * From the commit of a cause to the commit of the write. That is some twenty successive messages
 * between processes (the watch, the records, the queue, the reads, the creates, the Events, the
 * status). As many again are for a pass that was running, and more for a conflict. Several flows share
 * the workers. Measured: at most 0.07, 8 and 38 s in 800 runs.
 */
const waysMs: Readonly<Record<LatencyProfile, number>> = {
  calm: 250,
  busy: 20_000,
  wild: 60_000,
};

/** Typical number of Jobs in a measured run. */
const usualJobs = 8;
/** For a Job, from its creation to its end. */
const changesPerJob = 6;
/** Each change is recorded and enqueued before the next, unless changes come in batches. */
const waysPerChange = 2;
/** Mean of one message, from latency.ts. */
const meanWayMs: Readonly<Record<LatencyProfile, number>> = { calm: 2, busy: 62, wild: 265 };

/** The longest wait of a scenario's flow: its start deadline. */
const longestWaitMs = 60_000;

/** Of an answer's Date. */
const resolutionMs = 1_000;

/** No event reports a free name or a permitted create; they are tried at this interval. */
export const refusedMs = 10_000;

export function patienceMs(scenario: Scenario): number {
  const { latency, clocks } = scenario;
  return waysMs[latency] + backlogMs(scenario) + clocksMs(clocks);
}

/** If changes come one by one, those of many Jobs wait for one another. */
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
 * A time of one clock is awaited by others. A process with a wrong clock learns the server's time from
 * answers, to the second.
 */
function clocksMs(clocks: Scenario['clocks']): number {
  if (clocks === undefined) return 0;
  const drifts = [clocks.server, clocks.store, ...clocks.processes].map(({ driftPpm }) => driftPpm);
  return resolutionMs + ((Math.max(...drifts) - Math.min(...drifts)) / 1e6) * longestWaitMs;
}
