/** Finds a smaller scenario that still breaks the same rule, for people to read. */
import { runScenario } from './run-scenario.ts';
import type { DaemonPlan } from './daemons/daemon-plans.ts';
import type { FlowPlan, Scenario, StepPlan } from './scenario.ts';
import type { PartPlan, WrapperPlan } from './wrappers/wrapper-plans.ts';
import type { FaultKind } from './world/faults.ts';
import { rightClock } from './world/machine.ts';

export interface Shrunk {
  readonly scenario: Scenario;
  readonly violations: readonly string[];
  readonly runs: number;
}

const maxRuns = 600;

/**
 * Removes parts that the violation does not need, until nothing can be removed or the runs are used
 * up. `isSame`: whether other violations count as the same. By default the first one must name the
 * rule.
 */
export async function shrink(
  scenario: Scenario,
  violations: readonly string[],
  isSame = (others: readonly string[]) => ruleOf(others) === ruleOf(violations),
): Promise<Shrunk> {
  let best = { scenario, violations };
  let runs = 0;
  for (let improved = true; improved && runs < maxRuns;) {
    improved = false;
    for (const candidate of smaller(best.scenario)) {
      if (runs >= maxRuns) break;
      runs += 1;
      const outcome = await runScenario(candidate);
      if (!isSame(outcome.violations)) continue;
      best = { scenario: candidate, violations: outcome.violations };
      improved = true;
      break;
    }
  }
  return { ...best, runs };
}

/** `I3` of `I3: created before s1 was over (etl-s2)`. */
function ruleOf([first]: readonly string[]): string | undefined {
  return first?.split(':', 1)[0];
}

/** The largest cuts first. */
function* smaller(scenario: Scenario): Generator<Scenario> {
  yield* withoutHalves(scenario);
  yield* withoutOneHappening(scenario);
  yield* withFewerFaults(scenario);
  yield* withSmallerFlows(scenario);
  yield* withSmallerFleet(scenario);
  yield* withSmallerWrappers(scenario);
  yield* plainer(scenario);
}

function* withoutHalves(scenario: Scenario): Generator<Scenario> {
  const { happenings, faults } = scenario;
  const kinds = Object.entries(faults);
  if (happenings.length > 1) {
    const middle = happenings.length >>> 1;
    yield { ...scenario, happenings: happenings.slice(0, middle) };
    yield { ...scenario, happenings: happenings.slice(middle) };
  }
  if (kinds.length > 1) {
    const middle = kinds.length >>> 1;
    yield { ...scenario, faults: Object.fromEntries(kinds.slice(0, middle)) };
    yield { ...scenario, faults: Object.fromEntries(kinds.slice(middle)) };
  }
}

function* withoutOneHappening(scenario: Scenario): Generator<Scenario> {
  for (const index of scenario.happenings.keys()) {
    yield { ...scenario, happenings: scenario.happenings.toSpliced(index, 1) };
  }
}

function* withFewerFaults(scenario: Scenario): Generator<Scenario> {
  const { faults } = scenario;
  for (const kind of Object.keys(faults) as FaultKind[]) {
    yield {
      ...scenario,
      faults: Object.fromEntries(Object.entries(faults).filter(([name]) => name !== kind)),
    };
  }
  for (const kind of Object.keys(faults) as FaultKind[]) {
    const setting = faults[kind];
    if (setting === undefined) continue;
    const limits =
      setting.limit === undefined ? [1, 2, 4, 8] : [setting.limit >>> 1, setting.limit - 1];
    for (const limit of limits) {
      if (limit > 0) yield { ...scenario, faults: { ...faults, [kind]: { ...setting, limit } } };
    }
  }
}

function* withSmallerFlows(scenario: Scenario): Generator<Scenario> {
  const { flows } = scenario;
  const replaced = (index: number, flow: FlowPlan): Scenario => ({
    ...scenario,
    flows: flows.with(index, flow),
  });
  for (const [index, flow] of flows.entries()) {
    if (flows.length > 1) yield { ...scenario, flows: flows.toSpliced(index, 1) };
    for (const step of flow.steps.toReversed()) {
      if (flow.steps.length > 1) yield replaced(index, { ...flow, steps: withoutStep(flow, step) });
    }
    for (const [at, step] of flow.steps.entries()) {
      for (const simple of simpler(step)) {
        yield replaced(index, { ...flow, steps: flow.steps.with(at, simple) });
      }
    }
    for (const key of [
      'failurePolicy',
      'templatePolicy',
      'suspendMode',
      'suspend',
      'ttlSeconds',
      'startDeadlineSeconds',
      'parallelism',
      'shutdown',
      'deadlineSeconds',
    ] as const) {
      if (flow[key] === undefined) continue;
      yield replaced(index, without(flow, key));
    }
  }
}

function* withSmallerFleet(scenario: Scenario): Generator<Scenario> {
  const { fleet } = scenario;
  if (fleet === undefined) return;
  const { nodes, daemonJobs } = fleet;
  for (const index of nodes.keys()) {
    if (nodes.length > 1)
      yield { ...scenario, fleet: { ...fleet, nodes: nodes.toSpliced(index, 1) } };
  }
  for (const [index, plan] of daemonJobs.entries()) {
    const replaced = (other: DaemonPlan): Scenario => ({
      ...scenario,
      fleet: { ...fleet, daemonJobs: daemonJobs.with(index, other) },
    });
    if (daemonJobs.length > 1) {
      yield { ...scenario, fleet: { ...fleet, daemonJobs: daemonJobs.toSpliced(index, 1) } };
    }
    for (const key of optionalOfDaemons) {
      if (plan[key] !== undefined) yield replaced(without(plan, key));
    }
    if (plan.fails.length > 0) yield replaced({ ...plan, fails: plan.fails.slice(1) });
    if (plan.exclude.length > 0) yield replaced({ ...plan, exclude: plan.exclude.slice(1) });
  }
}

const optionalOfDaemons = [
  'parallelism',
  'failurePolicy',
  'completionPolicy',
  'suspend',
  'ttlSeconds',
  'deadlineSeconds',
  'shutdown',
  'eligibility',
  'allowEmpty',
  'selects',
  'tolerates',
  'adds',
  'trouble',
  'exitCode',
] as const;

function* withSmallerWrappers(scenario: Scenario): Generator<Scenario> {
  const { wrappers = [] } = scenario;
  for (const [index, plan] of wrappers.entries()) {
    const replaced = (other: WrapperPlan): Scenario => ({
      ...scenario,
      wrappers: wrappers.with(index, other),
    });
    const withPart = (at: number, part: PartPlan): Scenario =>
      replaced({ ...plan, parts: plan.parts.with(at, part) });
    if (wrappers.length > 1) yield { ...scenario, wrappers: wrappers.toSpliced(index, 1) };
    for (const [at, part] of plan.parts.entries()) {
      if (plan.parts.length > 1) yield replaced({ ...plan, parts: plan.parts.toSpliced(at, 1) });
      for (const key of optionalOfParts) {
        if (part[key] !== undefined) yield withPart(at, without(part, key));
      }
    }
    for (const key of optionalOfWrappers) {
      if (plan[key] !== undefined) yield replaced(without(plan, key));
    }
  }
}

const optionalOfParts = ['failures', 'exitCode', 'runMs', 'generatesName'] as const;
const optionalOfWrappers = [
  'suspend',
  'successTtlSeconds',
  'deletionOnFailureSeconds',
  'terminalExitCode',
] as const;

function withoutStep({ steps }: FlowPlan, { name }: StepPlan): readonly StepPlan[] {
  return steps
    .filter((step) => step.name !== name)
    .map((step) => ({ ...step, after: step.after.filter((other) => other !== name) }));
}

function* simpler(step: StepPlan): Generator<StepPlan> {
  if (step.failures > 0) yield { ...step, failures: 0 };
  if (step.retries > 0) yield { ...step, retries: 0 };
  if (step.after.length > 0) yield { ...step, after: step.after.slice(1) };
  for (const key of ['ttlSeconds', 'template', 'startOn', 'factor', 'capSeconds'] as const) {
    if (step[key] === undefined) continue;
    yield without(step, key);
  }
}

function without<Value extends object>(value: Value, key: keyof Value): Value {
  const rest = { ...value };
  Reflect.deleteProperty(rest, key);
  return rest;
}

function* plainer(scenario: Scenario): Generator<Scenario> {
  const { replicas, latency, batchLimit, concurrency, records, layout } = scenario;
  if (replicas === 2) yield { ...scenario, replicas: 1 };
  if (scenario.elects === true) yield without(scenario, 'elects');
  if (layout === 'apart') yield { ...scenario, layout: 'together' };
  if (latency !== 'calm') yield { ...scenario, latency: 'calm' };
  if (batchLimit !== 1) yield { ...scenario, batchLimit: 1 };
  if (concurrency !== 1) yield { ...scenario, concurrency: 1 };
  if (records) yield { ...scenario, records: false };
  if (scenario.templateTtlSeconds !== undefined) yield without(scenario, 'templateTtlSeconds');
  if (scenario.heartbeats !== undefined) yield without(scenario, 'heartbeats');
  if (scenario.clocks !== undefined) {
    yield without(scenario, 'clocks');
    for (const machine of ['server', 'controllers', 'store'] as const) {
      const { clocks } = scenario;
      if (clocks[machine] !== rightClock) {
        yield { ...scenario, clocks: { ...clocks, [machine]: rightClock } };
      }
    }
  }
}
