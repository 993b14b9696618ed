/** The output of a run. */
import type { BatchReport } from './batch.ts';
import type { Scenario } from './scenario.ts';
import { freedoms as freedomNames } from './model/freedom.ts';
import { overtakings } from './invariants/created-job.ts';
import { clusterHappenings, coincidingHappenings, limitActions, userActions } from './scenario.ts';
import { faultKinds } from './world/faults.ts';

/** All faults and events; a whole run must have each of them. */
export const allKinds: readonly string[] = [
  ...faultKinds,
  ...clusterHappenings,
  ...coincidingHappenings,
  ...userActions,
  ...limitActions,
];

/** With so many seeds, every kind certainly occurs. */
const seedsForAllKinds = 500;

/** Kinds that never occurred in a long enough run, and so were not tested. */
export function silentKinds({ runs, fired }: BatchReport): readonly string[] {
  return runs < seedsForAllKinds ? [] : allKinds.filter((kind) => (fired[kind] ?? 0) === 0);
}

export function summary(report: BatchReport, wallMs: number, cpuMs: number): string {
  const { runs, steps, virtualMs, passes, writes, overtaken, freedoms, failures } = report;
  const per = (total: number): string => (total / runs).toFixed(1);
  return [
    `${runs} seeds, ${failures.length} violated; ${(runs / (wallMs / 1_000)).toFixed(0)} seeds/s, ${(runs / (cpuMs / 1_000)).toFixed(0)} seeds/s per core`,
    `per seed: ${per(steps)} steps, ${per(virtualMs / 1_000)} s of virtual time, ${per(passes)} decisions, ${per(writes)} writes`,
    `creates overtaken on their way (nothing can fence those): ${overtakings.map((kind) => `${kind} ${overtaken[kind] ?? 0}`).join(', ')}`,
    `freedoms used: ${freedomNames.map((name) => `${name} ${freedoms[name] ?? 0}`).join(', ')}`,
    'struck:',
    ...struck(report),
  ].join('\n');
}

const known: ReadonlySet<string> = new Set(allKinds);

/** Faults and actions on flows, also those that never happened, and the actions on other kinds. */
function struck({ fired }: BatchReport): readonly string[] {
  const counts: Readonly<Record<string, number>> = fired;
  const ofOtherKinds = Object.keys(counts).filter((kind) => !known.has(kind));
  const cells = [...allKinds, ...ofOtherKinds.toSorted()].map((kind) =>
    `${kind} ${counts[kind] ?? 0}`.padEnd(26),
  );
  const lines: string[] = [];
  for (let at = 0; at < cells.length; at += 4)
    lines.push(`  ${cells.slice(at, at + 4).join('')}`.trimEnd());
  return lines;
}

/** The scenario in readable form. */
export function storyOf(scenario: Scenario): string {
  const { layout, replicas, elects, latency, batchLimit, concurrency } = scenario;
  const { flows, faults, happenings } = scenario;
  return [
    `${layout}, ${replicas} of each process${elects === true ? ', elected' : ''}, ${latency} network, batches of ${batchLimit}, ${concurrency} at once`,
    ...flows.map((flow) => `flow ${JSON.stringify(flow)}`),
    ...Object.entries(faults).map(([kind, setting]) => `fault ${kind} ${JSON.stringify(setting)}`),
    ...happenings.map((happening) => `at ${happening.atMs} ms ${JSON.stringify(happening)}`),
  ].join('\n');
}
