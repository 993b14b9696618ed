/** Runs one scenario to its end and reports its faults. */
import {
  isAtRest,
  secondThoughts,
  sweptForEver,
  unexpectedEnds,
  unrest,
} from './invariants/final-state.ts';
import { storedViewFaults, viewFaults } from './invariants/views-at-rest.ts';
import { isFleetSeen } from './daemons/seen-fleet.ts';
import { areNightsSeen } from './policies/seen-nights.ts';
import type { FreedomsUsed } from './model/freedom.ts';
import type { Overtaking } from './invariants/created-job.ts';
import { imaginedRestores } from './invariants/history.ts';
import { Witness } from './invariants/witness.ts';
import { clocksAreRight, type Scenario, userActions } from './scenario.ts';
import { slowestRequestMs } from './world/simulated-client.ts';
import { LateReactions } from './promptness/late-reactions.ts';
import { patienceMs } from './promptness/patience.ts';
import type { JudgedKind } from './model/kind-model.ts';
import { promptKinds } from './promptness/prompt-kinds.ts';
import { isUndisturbed } from './promptness/undisturbed.ts';
import { kindsOf } from './world/simulated-functions.ts';
import { times } from './world/simulated-process.ts';
import { World } from './world/world.ts';

export interface Outcome {
  /** Empty if all invariants held. The first violation ended the run. */
  readonly violations: readonly string[];
  /** Number of strikes of each fault and happening. */
  readonly fired: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly virtualMs: number;
  readonly passes: number;
  readonly writes: number;
  /** Creates that were overtaken on their way, by the kind of overtaking. */
  readonly overtaken: Readonly<Partial<Record<Overtaking, number>>>;
  /** Counts how often the rules permitted another outcome than the truth would give. */
  readonly freedoms: Readonly<FreedomsUsed>;
}

/** After the last fault everything comes to rest within this time (liveness), in virtual milliseconds. */
const boundMs = 300_000;
/**
 * At rest nothing is written for this long (I9). A grace for running work, by the speed of the network, comes first.
 */
const graceMs = { calm: 5_000, busy: 5_000, wild: 8_000 };
const quietMs = 60_000;
/** Decisions per write, for each replica, and per fault, with some for sweeps (I10). */
const passesPerWrite = 4;
const passesPerFault = 10;
const passesPerSweep = 2;
const sparePasses = 60;
/** More steps than any run needs: something is looping (I10). */
const maxSteps = 30_000;
const maxStepsPerSecond = 40;

export async function runScenario(
  scenario: Scenario,
  trace?: (line: string) => void,
): Promise<Outcome> {
  const violations: string[] = [];
  const kinds = kindsOf(scenario);
  const world: World = new World(scenario, {
    trace,
    witnessOf: (timeline, server) =>
      new Witness({
        timeline,
        server,
        store: () => world.store,
        struck: () => world.struck,
        kinds,
      }),
    onFault: (why) => violations.push(why),
  });
  const { timeline, witness, store } = world;
  const reactions = new LateReactions({
    timeline,
    store,
    kinds: promptKinds.filter(({ judged }) => kinds.includes(judged)),
    serverNowMs: () => world.nowMs,
    noticesRemovals: scenario.layout === 'together' || scenario.storedViews === true,
    patienceMs: patienceMs(scenario),
  });
  if (isUndisturbed(scenario)) {
    store.onChange((event) => reactions.onChange(event));
    timeline.onlooker = reactions;
  }
  const { traffic, daemons, policies, queueWitness, wrapperWitness } = world;
  const judges = [reactions, traffic, witness, daemons, policies, queueWitness, wrapperWitness];
  // Collected once: the lists stay the same, and calling judges of many shapes after each step would cost more.
  const faultsOfJudges = judges.map(({ faults }) => faults);
  const isBroken = (): boolean => {
    for (const faults of faultsOfJudges) {
      if (faults.length > 0) violations.push(...faults.splice(0));
    }
    if (timeline.steps > maxSteps + (timeline.nowMs / 1_000) * maxStepsPerSecond) {
      violations.push(`I10: ${timeline.steps} steps`);
    }
    return violations.length > 0;
  };
  world.begin();
  await timeline.run(scenario.calmFromMs, isBroken);
  if (!isBroken()) await world.calm();
  const untilMs = scenario.calmFromMs + boundMs + inTurnMs(scenario);
  // A process that was stopped or slow may still act on an old view.
  const isSlow = scenario.faults.slowRequest !== undefined;
  const stragglersMs = isSlow ? slowestRequestMs : Math.max(0, ...latenesses(scenario));
  const restFromMs = Math.max(scenario.calmFromMs + stragglersMs, ...pauseEnds(scenario));
  await timeline.run(restFromMs, isBroken);
  let lookedAt = 0;
  // A transition happens without a write.
  const goesByTime = world.nights !== undefined;
  const hasNews = () => store.revision !== lookedAt || goesByTime;
  const isOver = (): boolean => {
    if (isBroken()) return true;
    // Earlier requests may still be carried out and lead to more.
    if (!hasNews() || world.underWay.mayChange || !world.isTimeKnown) return false;
    // Usually a transition is ahead, which is cheaper to check than the bridges' views.
    if (!world.policies.isAtRest() || !world.queueWitness.isAtRest()) return false;
    if (!world.wrapperWitness.isAtRest()) return false;
    if (!isFleetSeen(world) || !areNightsSeen(world)) return false;
    lookedAt = store.revision;
    return isAtRest(store) && world.daemons.isAtRest() && owedCounts(world).length === 0;
  };
  if (!isBroken() && !(await timeline.run(untilMs, isOver, goesByTime)))
    violations.push(
      ...unrest(store),
      ...unrestOf(world),
      ...owedCounts(world),
      'I5: it never came to rest',
    );
  if (!isBroken()) violations.push(...(await quietly(world, kinds, isBroken)));
  trace?.(violations.join('\n'));
  return {
    violations,
    fired: world.fired,
    steps: timeline.steps,
    virtualMs: timeline.nowMs,
    passes: witness.passes,
    writes: witness.writes,
    overtaken: witness.overtaken,
    freedoms: witness.models.freedoms,
  };
}

async function quietly(
  world: World,
  kinds: readonly JudgedKind[],
  isBroken: () => boolean,
): Promise<readonly string[]> {
  const { timeline, witness, store, scenario } = world;
  await timeline.run(timeline.nowMs + graceMs[scenario.latency], isBroken);
  const { writes } = witness;
  await timeline.run(timeline.nowMs + quietMs, isBroken);
  const faults: string[] = [];
  if (witness.writes > writes) faults.push(`I9: wrote at rest: ${witness.lastWrite}`);
  const { flows, fleet, nights, wrappers = [] } = scenario;
  const swept =
    flows.length +
    wrappers.length +
    (fleet?.daemonJobs.length ?? 0) +
    (nights?.policies.length ?? 0);
  const sweeps = (timeline.nowMs / times.sweepMs) * swept;
  const bearable =
    sparePasses +
    passesPerSweep * scenario.replicas * sweeps +
    passesPerWrite * scenario.replicas * (store.revision - witness.leaseWrites) +
    passesPerFault * world.struck;
  if (witness.passes > bearable)
    faults.push(`I10: ${witness.passes} decisions on ${store.revision} writes`);
  const meddled = scenario.happenings.some(({ kind }) =>
    ([...userActions, 'shutdown', 'deadline'] as readonly string[]).includes(kind),
  );
  world.lastLook();
  faults.push(...witness.faults.splice(0));
  return [
    ...faults,
    ...imaginedRestores(world.processes),
    ...viewFaults(world.processes, store),
    ...(await storedViewFaults(world.views, world.processes, store)),
    ...(isAtRest(store) ? [] : unrest(store)),
    ...unrestOf(world),
    ...world.daemons.restFaults(),
    ...world.policies.restFaults(),
    ...(await secondThoughts(store, kinds, world.client, world.nowMs)),
    ...sweptForEver(store, kinds, world.nowMs),
    ...(meddled ? [] : unexpectedEnds(store, scenario)),
    ...modelsAtRest(world),
  ];
}

function modelsAtRest({ scenario, store, witness, nowMs }: World): readonly string[] {
  return witness.models.restFaults({ store, nowMs, clocksAreRight: clocksAreRight(scenario) });
}

/** With an outdated view of nodes, a DaemonJob that never completes may have wrong counts until a sweep. */
function owedCounts(world: World): readonly string[] {
  const { daemonJobs = [] } = world.scenario.fleet ?? {};
  if (!daemonJobs.some(({ completionPolicy }) => completionPolicy === 'Never')) return [];
  return modelsAtRest(world).filter((fault) => countsOfNodes.test(fault));
}

const countsOfNodes = /^model, at rest, status: (desired|skipped): /;

/** Pending work of kinds other than flows. */
function unrestOf({ daemons, policies, queueWitness, wrapperWitness }: World): readonly string[] {
  return [daemons, policies, queueWitness, wrapperWitness].flatMap((judge) => judge.unrest());
}

function pauseEnds({ happenings }: Scenario): readonly number[] {
  return happenings.map((happening) =>
    happening.kind === 'pause' || happening.kind === 'holderPause'
      ? happening.atMs + happening.forMs
      : 0,
  );
}

function latenesses({ happenings }: Scenario): readonly number[] {
  return happenings.map((happening) => (happening.kind === 'lateAnswers' ? happening.byMs : 0));
}

/** How long the Jobs of queued flows run, which may have to wait for each other. */
function inTurnMs({ queues, flows }: Scenario): number {
  if (queues === undefined) return 0;
  const steps = flows.flatMap((flow) => flow.steps);
  return steps.reduce((sum, { runMs, failures }) => sum + runMs * (1 + failures), 0);
}
