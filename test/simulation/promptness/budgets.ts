/**
 * PR3: what a run may cost where nothing fails, as a function of what was committed in it and of what
 * the passes were for. Derived from the rules, each in the words beside it; that nothing is left over
 * in most runs shows that the rules are followed.
 */
import type { Scenario } from '../scenario.ts';
import { times } from '../world/simulated-process.ts';
import type { Deeds } from './deeds.ts';
import type { Passes, Traffic } from './traffic.ts';

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
/** A process that hears nothing of the API server asks it after so long, milliseconds. */
const silentMs = 5_000;

/**
 * PR3 for each budget that was overdrawn. Where the network is slow, chance and no rule says how often a
 * look is overtaken on its way, and with it how often a pass begins anew.
 */
export function overspent(spending: Spending): readonly string[] {
  const { replicas, latency } = spending.scenario;
  const ofPasses = latency === 'calm' ? [...roundBudgets(spending), ...passBudgets(spending)] : [];
  return [queueBudget(spending), ...followingBudgets(spending), ...ofPasses]
    .filter(({ spent, granted }) => spent > granted + spare * replicas)
    .map(({ of, spent, granted }) => `PR3: ${spent} ${of}, allowed ${Math.ceil(granted)}`);
}

/** Each bridge publishes each change that concerns an object once. */
function queueBudget({ scenario, traffic, deeds }: Spending): Budget {
  return { of: 'items', spent: traffic.added, granted: scenario.replicas * deeds.asked };
}

/** What a function decides about, and what its passes asked for. */
interface Kind {
  readonly plural: 'jobflows' | 'daemonjobs';
  readonly passes: Passes;
  readonly statuses: number;
  /** All that were committed of such objects. */
  readonly versions: number;
}

function kindsOf({ traffic, deeds }: Spending): readonly Kind[] {
  const kind = (plural: Kind['plural'], name: string): Kind => ({
    plural,
    passes: traffic.passesOf(name),
    statuses: deeds.statuses[plural],
    versions: deeds.versions[plural],
  });
  return [kind('jobflows', 'flow-advance'), kind('daemonjobs', 'daemon-fanout')];
}

/**
 * A refusal is told once; a third of the writes meet that of another replica or an older view; an end without
 * some steps is decided twice.
 */
function roundBudgets(spending: Spending): readonly Budget[] {
  return kindsOf(spending).map(
    ({ plural, passes: { rounds, refused, final, absent }, statuses }) => ({
      of: `rounds beyond the first of a pass over ${plural}`,
      spent: rounds,
      granted: refused + (statuses + final) / 3 + absent / 2,
    }),
  );
}

/** What the bridges ask for, whatever happens. */
function followingBudgets({ scenario, traffic, virtualMs }: Spending): readonly Budget[] {
  const watches = scenario.replicas * (1 + virtualMs / (times.watchSeconds[0] * 1_000));
  const lists = listsOf(scenario, virtualMs);
  const ofFleet = scenario.fleet === undefined ? [] : (['daemonjobs', 'nodes'] as const);
  return [
    ...(['jobflows', 'jobtemplates', 'jobs', 'pods', ...ofFleet] as const).map((plural) => ({
      of: `watch ${plural}`,
      spent: traffic.count(`watch ${plural}`),
      granted: watches + lists,
    })),
    ...(['jobflows', 'jobtemplates', 'daemonjobs'] as const).map((plural) => ({
      of: `list ${plural}`,
      spent: traffic.count(`list ${plural}`),
      granted: lists,
    })),
  ];
}

/** The first one, and one after each fifth less than the usual time. */
function listsOf({ replicas }: Scenario, virtualMs: number): number {
  return replicas * (1 + virtualMs / (0.8 * times.relistMs));
}

function passBudgets(spending: Spending): readonly Budget[] {
  const { traffic, deeds } = spending;
  const kinds = kindsOf(spending);
  const sum = (of: (passes: Passes) => number): number =>
    kinds.reduce((total, { passes }) => total + of(passes), 0);
  const { roots, templates, jobs, children, nodes } = readsOf(spending);
  const patches = kinds.map(({ plural }) => traffic.count(`patch ${plural}`));
  return [
    ...kinds.flatMap((kind) => [
      {
        of: `get ${kind.plural}`,
        spent: traffic.count(`get ${kind.plural}`),
        granted: roots(kind),
      },
      // What was written, and what met a newer version.
      {
        of: `patch ${kind.plural}`,
        spent: traffic.count(`patch ${kind.plural}`),
        granted: kind.statuses + kind.passes.rounds,
      },
    ]),
    { of: 'get jobtemplates', spent: traffic.count('get jobtemplates'), granted: templates },
    { of: 'get jobs', spent: traffic.count('get jobs'), granted: jobs },
    { of: 'list jobs', spent: traffic.count('list jobs'), granted: children },
    { of: 'list nodes', spent: traffic.count('list nodes'), granted: nodes },
    {
      of: 'get nodes',
      spent: traffic.count('get nodes'),
      granted: sum(({ doubtfulNodes }) => doubtfulNodes) + successorsOf(spending.scenario),
    },
    // Those of a Job without a Pod, at the times that are meant for it.
    {
      of: 'list events',
      spent: traffic.count('list events'),
      granted: lacksPods(spending.scenario) ? 4 * spending.scenario.replicas * deeds.jobs : 0,
    },
    // A replica may not see yet what another has created, and is told so.
    {
      of: 'create jobs',
      spent: traffic.count('create jobs'),
      granted:
        spending.scenario.replicas * deeds.jobs + sum(({ refused, rounds }) => refused + rounds),
    },
    // Of the whole and why, with each status, and of each attempt that failed. Nothing comes of a
    // status that is refused, but that is told too.
    {
      of: 'create events',
      spent: traffic.count('create events'),
      granted: 2 * patches.reduce((total, count) => total + count, 0) + deeds.jobs,
    },
  ];
}

function lacksPods({ flows, fleet }: Scenario): boolean {
  const plans = [...flows.flatMap(({ steps }) => steps), ...(fleet?.daemonJobs ?? [])];
  return plans.some(({ trouble }) => trouble?.kind === 'noPod');
}

/**
 * A machine that has the name of another is asked for while the view shows neither: by each replica, for each
 * DaemonJob with a Job there.
 */
function successorsOf({ happenings, replicas, fleet }: Scenario): number {
  const replaced = happenings.filter(({ kind }) => kind === 'nodeReplaced').length;
  return replaced * replicas * (fleet?.daemonJobs.length ?? 0);
}

interface Reads {
  /** Flows or DaemonJobs. */
  readonly roots: (kind: Kind) => number;
  readonly templates: number;
  readonly jobs: number;
  /** Lists of Jobs, those of the bridges included. */
  readonly children: number;
  /** Lists of nodes, those of the bridges included. */
  readonly nodes: number;
}

/**
 * With a view the API server is asked before what cannot be undone, when the view was behind, and for
 * what the view lacks. Without one each pass reads once, and looks again when its reads took long. Views that
 * others keep have the version of an object only: each replica asks for each version once, and for the time.
 */
function readsOf(spending: Spending): Reads {
  const { scenario, deeds, virtualMs } = spending;
  const [flows, daemonJobs] = kindsOf(spending).map(({ passes }) => passes) as [Passes, Passes];
  const both = (of: (passes: Passes) => number): number => of(flows) + of(daemonJobs);
  const rounds = both((passes) => passes.rounds);
  const doubtful = both(({ doubtfulJobs, refused }) => doubtfulJobs + refused);
  const once = listsOf(scenario, virtualMs);
  const { storedViews, fleet } = scenario;
  // Under a limit the Jobs that run are asked for before one more is created. One that fails fast creates none
  // after a failure, unless the machine is gone on which it failed: that is known after these were asked for.
  const limited = fleet?.daemonJobs.filter(({ parallelism }) => parallelism !== undefined) ?? [];
  const mayGoOn = limited.some(({ failurePolicy }) => failurePolicy === 'FailFast');
  const ofLimited = mayGoOn ? daemonJobs.observed : daemonJobs.final;
  const lists = once * pagesOf(deeds.mostJobs) + (limited.length > 0 ? ofLimited : 0);
  // Before an end is written nodes are asked of the API server. One that has a deadline may end at any time
  // while something of it is on a machine that is not to be seen. So may one that fails fast, and goes on, while
  // another machine takes the place of one that failed.
  const endsAtAnyTime =
    fleet?.daemonJobs.some(
      ({ deadlineSeconds, failurePolicy, completionPolicy }) =>
        deadlineSeconds !== undefined ||
        (failurePolicy === 'FailFast' && completionPolicy === 'Never'),
    ) === true;
  const ends = deeds.ends + (endsAtAnyTime ? daemonJobs.observed : 0);
  const listsOfNodes = (once + ends) * pagesOf(deeds.mostNodes);
  if (scenario.layout === 'together') {
    return {
      roots: ({ passes: { final, gone, rounds: again } }) => final + again + gone,
      templates: flows.missingTemplates + flows.freshTemplates + flows.rounds,
      jobs: doubtful + scenario.replicas * deeds.jobs,
      children: lists + rounds,
      nodes: listsOfNodes + daemonJobs.rounds * pagesOf(deeds.mostNodes),
    };
  }
  const objects = scenario.flows.length + (fleet?.daemonJobs.length ?? 0);
  const forTheTime = virtualMs / silentMs;
  return {
    roots: ({ passes: { observed, final, rounds: again, gone }, versions }) =>
      storedViews === true
        ? Math.min(observed, scenario.replicas * (versions + forTheTime)) + final + again + gone
        : observed + (scenario.latency === 'calm' ? 0 : final),
    templates: flows.templates,
    // A view that others keep may lack a Job that is on record, which then is asked for by its name.
    jobs: doubtful + rounds + (storedViews === true ? scenario.replicas * deeds.jobs : 0),
    // What the views of the bridge hold is not listed: at first they are not complete yet.
    children: lists + (storedViews === true ? rounds + objects : both(({ observed }) => observed)),
    nodes: listsOfNodes + daemonJobs.observed * pagesOf(deeds.mostNodes),
  };
}

function pagesOf(objects: number): number {
  return 1 + Math.floor(objects / times.pageLimit);
}
