/** Finds the steps that start, and what the others wait for (rules 3, 11, 12, 15, 17, 18, 22 and 23). */
import type { FlowStep } from '#shared/api/job-flow.ts';
import { attemptOf, failedStep, jobName, namesIn, resetsSteps } from './attempts-and-retries.ts';
import { conditionOf, hasEnded } from './job-fate.ts';
import { isOver, isWaiting, type Look, msOf, type Step, type Predicted } from './look.ts';
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

export function isRefused({ state, reason = '' }: Predicted): boolean {
  return state === 'Blocked' && refusals.includes(reason);
}

/** An invalid Job stays invalid and its step has failed. Any other refusal may pass. */
export function afterRefusals(look: Look, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => {
    const reason = look.refused.get(nameOf(look, step));
    if (reason === undefined || !isWaiting(step.predicted)) return step;
    return { ...step, predicted: refused(look, step.predicted, reason) };
  });
}

function refused({ atMs }: Look, predicted: Predicted, reason: string): Predicted {
  if (reason === 'Invalid') return failedStep(predicted, { reason: 'InvalidJob', atMs });
  if (predicted.state === 'Blocked' && predicted.reason === reason) return predicted;
  return { name: predicted.name, state: 'Blocked', attempt: attemptOf(predicted), reason };
}

function nameOf({ flow }: Look, { spec, predicted }: Step): string {
  return jobName(flow, spec.name, predicted.attempt);
}

/** All steps that can start and have a place start at once. Of those without permission, one asks for all. */
export function startSteps(look: Look, steps: readonly Step[]): Started {
  const held = steps.filter(
    ({ predicted }) => isRefused(predicted) && ofWholeFlow.includes(predicted.reason!),
  );
  const asking = held.find((step) => look.refused.has(nameOf(look, step))) ?? held[0];
  const starts: Start[] = [];
  const unread: string[] = [];
  const ready = new Map<Step, Resolved>();
  let isPutOff = false;
  const judged = steps.map((step): Step => {
    const { spec, predicted } = step;
    if (!isWaiting(predicted) || (held.includes(step) && step !== asking)) return step;
    const obstacle = obstacleOf(look, steps, step);
    if (obstacle !== undefined) return { ...step, predicted: obstacle };
    const template = templateOf(look, spec);
    if (template === undefined) unread.push(spec.jobTemplateRef ?? '');
    if (template === undefined || template === null)
      return { ...step, predicted: lacking(spec, predicted) };
    if (pinsTemplates(look.flow) && missingTemplates(look).length > 0) {
      return {
        ...step,
        predicted: waiting(predicted, 'Waiting', 'TemplatesPending', missingTemplates(look)),
      };
    }
    ready.set(step, template);
    return step;
  });
  const placed = placedAmong(look, steps, [...ready.keys()]);
  const { parallelism } = look.flow.spec;
  const after = judged.map((step): Step => {
    const { spec, predicted } = step;
    const template = ready.get(step);
    if (template === undefined) return step;
    if (!placed.includes(step)) {
      return isRefused(predicted)
        ? step
        : { ...step, predicted: withoutPlace(predicted, parallelism ?? 0) };
    }
    // A step that was refused before and has a place asks when it is due. A manual retry is recorded before
    // anything of it runs.
    if (look.wasJustRefused || resetsSteps(look.flow)) {
      isPutOff ||= parallelism === undefined || !isRefused(predicted);
      return step;
    }
    starts.push({ step: spec, attempt: attemptOf(predicted), ...template });
    return { ...step, predicted: pending(look, step, template) };
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
  for (const { predicted } of steps) {
    const { jobName: name } = predicted;
    if (name !== undefined && !isOver(predicted) && !jobs.has(name)) taking.add(name);
  }
  const refusedOnes = ready.filter(({ predicted }) => isRefused(predicted));
  const first = refusedOnes.length === 0 ? 0 : Math.floor(atMs / turnMs) % refusedOnes.length;
  const byTurns = refusedOnes.map((_, index) => refusedOnes[(first + index) % refusedOnes.length]!);
  const others = ready.filter(({ predicted }) => !isRefused(predicted));
  return [...others, ...byTurns].slice(0, Math.max(0, parallelism - taking.size));
}

function withoutPlace({ name, attempt }: Predicted, parallelism: number): Predicted {
  const running = parallelism === 1 ? 'step runs' : 'steps run';
  const mentions = [`at most ${parallelism} ${running} at once`];
  return { name, attempt: attempt ?? 0, state: 'Waiting', reason: 'ParallelismReached', mentions };
}

/** Undefined: nothing stops it, except perhaps its template. */
function obstacleOf(look: Look, steps: readonly Step[], step: Step): Predicted | undefined {
  const { spec, predicted } = step;
  const open = openDependencies(spec, steps);
  if (open.length > 0)
    return waiting(predicted, 'Waiting', 'DependenciesPending', open.slice(0, 8));
  if (look.flow.spec.suspend === true) return waiting(predicted, 'Waiting', 'FlowSuspended');
  if (msOf(predicted.nextRetryTime) > look.atMs) return predicted;
  return look.refused.has(nameOf(look, step)) ? predicted : undefined;
}

/** A step waits for the ends of its dependencies, or only until their success is certain. */
function openDependencies({ dependencies = [], startOn }: FlowStep, steps: readonly Step[]) {
  const done = new Set(namesIn(steps, 'Succeed'));
  for (const { spec, job } of startOn === 'SuccessCriteriaMet' ? steps : []) {
    if (job !== undefined && conditionOf(job, 'SuccessCriteriaMet')) done.add(spec.name);
  }
  return dependencies.filter((name) => !done.has(name));
}

function lacking({ jobTemplateRef = '' }: FlowStep, predicted: Predicted): Predicted {
  return waiting(predicted, 'Blocked', 'JobTemplateNotFound', [jobTemplateRef]);
}

/** The wait before a retry runs at the same time. */
function waiting(
  { name, attempt, nextRetryTime }: Predicted,
  state: 'Waiting' | 'Blocked',
  reason: string,
  mentions: readonly string[] = [],
): Predicted {
  const wait = nextRetryTime === undefined ? {} : { nextRetryTime };
  return { name, attempt: attempt ?? 0, state, reason, mentions, ...wait };
}

function pending(look: Look, step: Step, { hash }: Resolved): Predicted {
  return {
    name: step.spec.name,
    jobName: nameOf(look, step),
    state: 'Pending',
    attempt: attemptOf(step.predicted),
    ...(hash === undefined ? {} : { templateHash: hash }),
  };
}
