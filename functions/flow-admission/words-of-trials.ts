/** What the trials came to, for people. */
import type { Review } from '#shared/domain/admission-decision.ts';
import { explainedBeside, haveAlike, unknownFieldIn } from '#shared/domain/unknown-field.ts';
import { tellsOfLoss } from '#shared/domain/write-warning.ts';
import type { Trial } from '#shared/kube/inquiry.ts';
import type { Child } from '#shared/api/work/submission/submission.ts';
import type { TriedChildren } from './trials.ts';

export interface TrialWords {
  /** The API server will never take such a Job, or would leave out a part of it. */
  readonly refusals: readonly string[];
  /** For where nothing is refused. */
  readonly warnings: readonly string[];
}

/** `before`: the Jobs of the object as it was stored, if it was. What they have already is not refused. */
export function wordsOfTrials(
  review: Review,
  children: readonly Child[],
  trials: TriedChildren['trials'],
  before: () => readonly Child[],
): TrialWords {
  const tried = children.flatMap((child, place) => {
    const trial = trials[place];
    return trial === undefined ? [] : [{ child, trial }];
  });
  const remarks = tried.flatMap(({ child, trial }) =>
    trial.warnings.map((text) => ({ child, text, isLoss: tellsOfLoss(text) })),
  );
  const stored = remarks.some(({ isLoss }) => isLoss) ? before() : [];
  const isNew = ({ child, text, isLoss }: Remark): boolean =>
    isLoss && !stored.some(({ job }) => haveAlike(unknownFieldIn(text), job, child.job));
  // A misspelt field is often why the Job is refused.
  const refusals = [
    ...remarks.filter(isNew).map(refusalOf),
    ...tried.flatMap(({ child: { of }, trial: { rejection } }) =>
      rejection?.code === 'Invalid' ? [`${of}: ${rejection.message}`] : [],
    ),
  ];
  const warnings = [
    ...remarks.map(({ child: { of }, text, isLoss }) => `${of}: ${isLoss ? lossOf(text) : text}`),
    ...tried.flatMap(({ child, trial }) => takenName(review, child, trial)),
    ...passing(tried.map(({ trial }) => trial)),
    ...untried(children.length, tried.length),
  ];
  return { refusals, warnings };
}

interface Remark {
  readonly child: Child;
  /** As the API server words it. */
  readonly text: string;
  /** It says that a field would be left out. */
  readonly isLoss: boolean;
}

function refusalOf({ child: { of }, text }: Remark): string {
  const command = explainedBeside(unknownFieldIn(text));
  return `${of}: ${lossOf(text)}; correct its spelling or its place, or remove it (${command})`;
}

/** The path as the template has it, which is the spec of a Job. */
function lossOf(text: string): string {
  const path = unknownFieldIn(text).replace(/^spec\./, '');
  return `${path}: the API server does not know this field, and the Job would run without it`;
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
  const [first] = trials.flatMap(({ rejection }) => rejection ?? []);
  return first === undefined ? [] : [`its Jobs would not be created now: ${first.message}`];
}

function untried(all: number, tried: number): readonly string[] {
  if (tried === all) return [];
  return [
    `${tried} of ${all} different Jobs were tried with the API server; a fault in the others is reported when they start`,
  ];
}
