/** What the trials came to, for people. */
import type { Review } from '#shared/domain/admission-decision.ts';
import type { Trial } from '#shared/kube/inquiry.ts';
import type { Child } from './submitted-kind.ts';
import type { TriedChildren } from './trials.ts';

export interface TrialWords {
  /** The API server will never take such a Job. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

export function wordsOfTrials(
  review: Review,
  children: readonly Child[],
  trials: TriedChildren['trials'],
): TrialWords {
  const tried = children.flatMap((child, place) => {
    const trial = trials[place];
    return trial === undefined ? [] : [{ child, trial }];
  });
  const refusals = tried.flatMap(({ child: { of }, trial: { rejection } }) =>
    rejection?.code === 'Invalid' ? [`${of}: ${rejection.message}`] : [],
  );
  const warnings = [
    ...tried.flatMap(({ child: { of }, trial }) => trial.warnings.map((text) => `${of}: ${text}`)),
    ...tried.flatMap(({ child, trial }) => takenName(review, child, trial)),
    ...passing(tried.map(({ trial }) => trial)),
    ...untried(children.length, tried.length),
  ];
  return { refusals, warnings };
}

/** The Jobs of an object that is there already are its own. */
function takenName({ operation }: Review, { of, job }: Child, trial: Trial): readonly string[] {
  if (operation !== 'CREATE' || trial.isTaken !== true) return [];
  const { name } = job.metadata;
  return [
    `${of}: there is a Job ${name} already, and nothing starts under its name until it is gone`,
  ];
}

/** A quota, a right of ours, a namespace: what refuses one refuses most, and may be over soon. */
function passing(trials: readonly Trial[]): readonly string[] {
  const rejections = trials.flatMap(({ rejection }) => rejection ?? []);
  const first = rejections.find(({ code }) => code !== 'Invalid');
  return first === undefined ? [] : [`its Jobs would not be created now: ${first.message}`];
}

function untried(all: number, tried: number): readonly string[] {
  if (tried === all) return [];
  return [
    `${tried} of ${all} different Jobs were tried with the API server; what is wrong with the others is told when they start`,
  ];
}
