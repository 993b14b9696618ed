/** Finds the steps that start, and what the others wait for (rules 3, 11, 12, 15, 17, 18, 22 and 23). */
import type { FlowStep } from '#shared/api/job-flow.ts';
import { attemptOf, failedStep, jobName, namesIn, resetsSteps } from './attempts-and-retries.ts';
import { conditionOf, hasEnded } from './job-fate.ts';
import { isOver, isWaiting, type Look, msOf, type Step, type Told } from './look.ts';
import {
  missingTemplates,
  pinsTemplates,
  type Resolved,
  templateOf,
} from './template-resolution.ts';

export interface Start extends Resolved {
  readonly step: FlowStep;
  readonly attempt: number;
}

export interface Started {
  readonly steps: readonly Step[];
  readonly starts: readonly Start[];
  /** Some could start, but a new refusal of the API server is recorded first. */
  readonly isPutOff: boolean;
  /** JobTemplates that were needed and not read. */
  readonly unread: readonly string[];
}

/** Temporary obstacles: permission, quota and another owner of the name. They make the flow Blocked. */
const ofWholeFlow = [
  'Forbidden',
  'QuotaExceeded',
  'Refused',
  'SubmitterUnknown',
  'ExemptNamespace',
];
const refusals = ['NameConflict', 'NameTerminating', ...ofWholeFlow];

export function isRefused({ state, reason = '' }: Told): boolean {
  return state === 'Blocked' && refusals.includes(reason);
}

/** An invalid Job stays invalid and its step has failed. Any other refusal may pass. */
export function afterRefusals(look: Look, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => {
    const reason = look.refused.get(nameOf(look, step));
    if (reason === undefined || !isWaiting(step.told)) return step;
    return { ...step, told: refused(look, step.told, reason) };
  });
}

function refused({ atMs }: Look, told: Told, reason: string): Told {
  if (reason === 'Invalid') return failedStep(told, { reason: 'InvalidJob', atMs });
  if (told.state === 'Blocked' && told.reason === reason) return told;
  return { name: told.name, state: 'Blocked', attempt: attemptOf(told), reason };
}

function nameOf({ flow }: Look, { spec, told }: Step): string {
  return jobName(flow, spec.name, told.attempt);
}

/** All steps that can start and have a place start at once. Of those without permission, one asks for all. */
export function startSteps(look: Look, steps: readonly Step[]): Started {
  const held = steps.filter(({ told }) => isRefused(told) && ofWholeFlow.includes(told.reason!));
  const asking = held.find((step) => look.refused.has(nameOf(look, step))) ?? held[0];
  const starts: Start[] = [];
  const unread: string[] = [];
  const ready = new Map<Step, Resolved>();
  let isPutOff = false;
  const judged = steps.map((step): Step => {
    const { spec, told } = step;
    if (!isWaiting(told) || (held.includes(step) && step !== asking)) return step;
    const obstacle = obstacleOf(look, steps, step);
    if (obstacle !== undefined) return { ...step, told: obstacle };
    const template = templateOf(look, spec);
    if (template === undefined) unread.push(spec.jobTemplateRef ?? '');
    if (template === undefined || template === null) return { ...step, told: lacking(spec, told) };
    if (pinsTemplates(look.flow) && missingTemplates(look).length > 0) {
      return {
        ...step,
        told: waiting(told, 'Waiting', 'TemplatesPending', missingTemplates(look)),
      };
    }
    ready.set(step, template);
    return step;
  });
  const placed = placedAmong(look, steps, [...ready.keys()]);
  const { parallelism } = look.flow.spec;
  const after = judged.map((step): Step => {
    const { spec, told } = step;
    const template = ready.get(step);
    if (template === undefined) return step;
    if (!placed.includes(step)) {
      return isRefused(told) ? step : { ...step, told: withoutPlace(told, parallelism ?? 0) };
    }
    // A step that was refused before and has a place asks when it is due. A manual retry is recorded before
    // anything of it runs.
    if (look.wasJustRefused || resetsSteps(look.flow)) {
      isPutOff ||= parallelism === undefined || !isRefused(told);
      return step;
    }
    starts.push({ step: spec, attempt: attemptOf(told), ...template });
    return { ...step, told: pending(look, step, template) };
  });
  return { steps: after, starts, isPutOff, unread };
}

/** Refused steps ask in turn, at this interval in milliseconds. */
const turnMs = 10_000;

/**
 * Rule 24: each Job that has not ended takes a place. The others get places in the order of the spec, refused
 * ones last and in turns.
 */
function placedAmong(
  { flow, jobs, atMs }: Look,
  steps: readonly Step[],
  ready: readonly Step[],
): readonly Step[] {
  const { parallelism } = flow.spec;
  if (parallelism === undefined) return ready;
  const taking = new Set([...jobs].flatMap(([name, job]) => (hasEnded(job) ? [] : [name])));
  for (const { told } of steps) {
    const { jobName: name } = told;
    if (name !== undefined && !isOver(told) && !jobs.has(name)) taking.add(name);
  }
  const refusedOnes = ready.filter(({ told }) => isRefused(told));
  const first = refusedOnes.length === 0 ? 0 : Math.floor(atMs / turnMs) % refusedOnes.length;
  const byTurns = refusedOnes.map((_, index) => refusedOnes[(first + index) % refusedOnes.length]!);
  const others = ready.filter(({ told }) => !isRefused(told));
  return [...others, ...byTurns].slice(0, Math.max(0, parallelism - taking.size));
}

function withoutPlace({ name, attempt }: Told, parallelism: number): Told {
  const running = parallelism === 1 ? 'step runs' : 'steps run';
  const mentions = [`at most ${parallelism} ${running} at once`];
  return { name, attempt: attempt ?? 0, state: 'Waiting', reason: 'ParallelismReached', mentions };
}

/** Undefined: nothing stops it, except perhaps its template. */
function obstacleOf(look: Look, steps: readonly Step[], step: Step): Told | undefined {
  const { spec, told } = step;
  const open = openDependencies(spec, steps);
  if (open.length > 0) return waiting(told, 'Waiting', 'DependenciesPending', open.slice(0, 8));
  if (look.flow.spec.suspend === true) return waiting(told, 'Waiting', 'FlowSuspended');
  if (msOf(told.nextRetryTime) > look.atMs) return told;
  return look.refused.has(nameOf(look, step)) ? told : undefined;
}

/** A step waits for the ends of its dependencies, or only until their success is certain. */
function openDependencies({ dependencies = [], startOn }: FlowStep, steps: readonly Step[]) {
  const done = new Set(namesIn(steps, 'Succeed'));
  for (const { spec, job } of startOn === 'SuccessCriteriaMet' ? steps : []) {
    if (job !== undefined && conditionOf(job, 'SuccessCriteriaMet')) done.add(spec.name);
  }
  return dependencies.filter((name) => !done.has(name));
}

function lacking({ jobTemplateRef = '' }: FlowStep, told: Told): Told {
  return waiting(told, 'Blocked', 'JobTemplateNotFound', [jobTemplateRef]);
}

/** The wait before a retry runs at the same time. */
function waiting(
  { name, attempt, nextRetryTime }: Told,
  state: 'Waiting' | 'Blocked',
  reason: string,
  mentions: readonly string[] = [],
): Told {
  const wait = nextRetryTime === undefined ? {} : { nextRetryTime };
  return { name, attempt: attempt ?? 0, state, reason, mentions, ...wait };
}

function pending(look: Look, step: Step, { hash }: Resolved): Told {
  return {
    name: step.spec.name,
    jobName: nameOf(look, step),
    state: 'Pending',
    attempt: attemptOf(step.told),
    ...(hash === undefined ? {} : { templateHash: hash }),
  };
}
