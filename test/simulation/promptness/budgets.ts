/**
 * PR3: what a run may cost where nothing fails, as a function of what was committed in it and of what
 * the passes were for. Derived from the rules, each in the words beside it; that nothing is left over
 * in most runs shows that the rules are followed.
 */
import type { Scenario } from '../scenario.ts';
import { times } from '../world/simulated-process.ts';
import type { Deeds } from './deeds.ts';
import type { Traffic } from './traffic.ts';

export interface Spending {
  readonly scenario: Scenario;
  readonly traffic: Traffic;
  readonly deeds: Deeds;
  /** How long the run took, virtual milliseconds. */
  readonly virtualMs: number;
}

interface Budget {
  readonly of: string;
  readonly spent: number;
  readonly granted: number;
}

/** For each replica: views that are not complete yet, times that fall together. */
const spare = 2;

/**
 * PR3 for each budget that was overdrawn. Where the network is slow, chance and no rule says how often a
 * look is overtaken on its way, and with it how often a pass begins anew.
 */
export function overspent(spending: Spending): readonly string[] {
  const { replicas, latency } = spending.scenario;
  const ofPasses = latency === 'calm' ? [roundBudget(spending), ...passBudgets(spending)] : [];
  return [queueBudget(spending), ...followingBudgets(spending), ...ofPasses]
    .filter(({ spent, granted }) => spent > granted + spare * replicas)
    .map(({ of, spent, granted }) => `PR3: ${spent} ${of}, allowed ${Math.ceil(granted)}`);
}

/** Rounds of passes beyond the first: decided anew after a conflict or a refusal. */
function roundsOf({ observed, taken }: Traffic): number {
  return Math.max(0, observed - taken);
}

/** Each bridge publishes each change that concerns a flow once. */
function queueBudget({ scenario, traffic, deeds }: Spending): Budget {
  return { of: 'items', spent: traffic.added, granted: scenario.replicas * deeds.asked };
}

/** A refusal is told once; a third of the writes meet that of another replica or an older view. */
function roundBudget({ traffic, deeds }: Spending): Budget {
  return {
    of: 'rounds beyond the first of a pass',
    spent: roundsOf(traffic),
    granted: traffic.refused + (deeds.statuses + traffic.final) / 3,
  };
}

/** What the bridges ask for, whatever happens. */
function followingBudgets({ scenario, traffic, virtualMs }: Spending): readonly Budget[] {
  const watches = scenario.replicas * (1 + virtualMs / (times.watchSeconds[0] * 1_000));
  const lists = listsOf(scenario, virtualMs);
  return [
    ...(['jobflows', 'jobtemplates', 'jobs', 'pods'] as const).map((plural) => ({
      of: `watch ${plural}`,
      spent: traffic.count(`watch ${plural}`),
      granted: watches + lists,
    })),
    { of: 'list jobflows', spent: traffic.count('list jobflows'), granted: lists },
    { of: 'list jobtemplates', spent: traffic.count('list jobtemplates'), granted: lists },
  ];
}

/** The first one, and one after each fifth less than the usual time. */
function listsOf({ replicas }: Scenario, virtualMs: number): number {
  return replicas * (1 + virtualMs / (0.8 * times.relistMs));
}

function passBudgets(spending: Spending): readonly Budget[] {
  const { traffic, deeds } = spending;
  const { refused } = traffic;
  const rounds = roundsOf(traffic);
  const { flows, templates, jobs, children } = readsOf(spending);
  return [
    { of: 'get jobflows', spent: traffic.count('get jobflows'), granted: flows },
    { of: 'get jobtemplates', spent: traffic.count('get jobtemplates'), granted: templates },
    { of: 'get jobs', spent: traffic.count('get jobs'), granted: jobs },
    { of: 'list jobs', spent: traffic.count('list jobs'), granted: children },
    // What was written, and what met a newer version.
    {
      of: 'patch jobflows',
      spent: traffic.count('patch jobflows'),
      granted: deeds.statuses + rounds,
    },
    {
      of: 'create jobs',
      spent: traffic.count('create jobs'),
      granted: deeds.jobs + refused + rounds,
    },
    // Of the flow and why, with each status, and of each attempt that failed. Nothing comes of a
    // status that is refused, but that is told too.
    {
      of: 'create events',
      spent: traffic.count('create events'),
      granted: 2 * traffic.count('patch jobflows') + deeds.jobs,
    },
  ];
}

interface Reads {
  readonly flows: number;
  readonly templates: number;
  readonly jobs: number;
  /** Lists of Jobs, those of the bridges included. */
  readonly children: number;
}

/**
 * With a view the API server is asked before what cannot be undone, when the view was behind, and for
 * what the view lacks. Without one each pass reads once, and looks again when its reads took long; so it
 * does with views that others keep, since it writes at once what it decides.
 */
function readsOf({ scenario, traffic, deeds, virtualMs }: Spending): Reads {
  const { observed, gone, final, refused, templates, doubtfulJobs } = traffic;
  const rounds = roundsOf(traffic);
  const pages = 1 + Math.floor(deeds.mostJobs / times.pageLimit);
  const lists = listsOf(scenario, virtualMs) * pages;
  if (scenario.layout === 'together') {
    return {
      flows: final + rounds + gone,
      templates: traffic.missingTemplates + traffic.freshTemplates + rounds,
      jobs: doubtfulJobs + refused + scenario.replicas * deeds.jobs,
      children: lists + rounds,
    };
  }
  return {
    flows: observed + (scenario.latency === 'calm' ? 0 : final),
    templates,
    jobs: doubtfulJobs + refused + rounds,
    // What the views of the bridge hold is not listed: at first they are not complete yet.
    children: lists + (scenario.storedViews === true ? rounds + scenario.flows.length : observed),
  };
}
