/** The results of the trials, worded for users. */
import type { Review } from '#shared/domain/admission-decision.ts';
import { explainedBeside, haveAlike, unknownFieldIn } from '#shared/domain/unknown-field.ts';
import { reportsLoss } from '#shared/domain/write-warning.ts';
import type { Trial } from '#shared/kube/inquiry.ts';
import type { Child } from '#shared/api/work/submission/submission.ts';
import type { TriedChildren } from './trials.ts';

export interface TrialWords {
  /** The API server will never accept such a Job, or would leave out a part of it. */
  readonly refusals: readonly string[];
  /** Shown if nothing is refused. */
  readonly warnings: readonly string[];
}

/** `before` returns the Jobs of the stored object, if any. Faults that they already have are not refused. */
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
    trial.warnings.map((text) => ({ child, text, isLoss: reportsLoss(text) })),
  );
  const stored = remarks.some(({ isLoss }) => isLoss) ? before() : [];
  const isNew = ({ child, text, isLoss }: Remark): boolean =>
    isLoss && !stored.some(({ job }) => haveAlike(unknownFieldIn(text), job, child.job));
  // A misspelt field is often the reason why the Job is refused.
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
  /** The text of the API server. */
  readonly text: string;
  /** The text says that a field would be left out. */
  readonly isLoss: boolean;
}

function refusalOf({ child: { of }, text }: Remark): string {
  const command = explainedBeside(unknownFieldIn(text));
  return `${of}: ${lossOf(text)}; correct its spelling or its place, or remove it (${command})`;
}

/** The path in the template, which is the spec of a Job. */
function lossOf(text: string): string {
  const path = unknownFieldIn(text).replace(/^spec\./, '');
  return `${path}: the API server does not know this field, and the Job would run without it`;
}

/** The existing Jobs of a stored object are its own, so only a creation is checked. */
function takenName({ operation }: Review, { of, job }: Child, trial: Trial): readonly string[] {
  if (operation !== 'CREATE' || trial.isTaken !== true) return [];
  const { name } = job.metadata;
  return [
    `${of}: there is a Job ${name} already, and nothing starts under its name until it is gone`,
  ];
}

/** A quota, a missing right of Millrace or a namespace refuses most Jobs alike, and may pass soon. */
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
