/**
 * Misspelt fields of a step's template. The API server leaves them out of the Job and reports this
 * only in its answer to the create. The next decision records one Event and the condition Accepted.
 * The entry of the step keeps the remark while it has no other.
 */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { also } from '#shared/domain/announcements.ts';
import { labels } from '#shared/domain/labels.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { withCommand } from '#shared/domain/next-command.ts';
import { explainedBeside, unknownFieldIn } from '#shared/domain/unknown-field.ts';
import { listed, unknownField } from './record.ts';
import type { Situation } from './situation.ts';

export function lostFieldsOf(
  { snapshot }: Situation,
  { reason, message }: StepRecord,
  job: ObservedJob,
): Partial<StepRecord> {
  const said = saidOf(snapshot.warnings, job.name);
  if (said !== undefined) return { reason: unknownField, message: said };
  const isKnown = reason === unknownField && message !== undefined;
  return isKnown ? { reason, message } : {};
}

export interface LostFields {
  /** The first step in spec order. */
  readonly step: string;
  /** Names the other steps too. */
  readonly message: string;
}

/** Of the Jobs that were just created, even if they have ended since. Undefined: none lost a field. */
export function lostFieldsOfSteps(situation: Situation): LostFields | undefined {
  const [first, ...others] = lostFieldsBySteps(situation);
  if (first === undefined) return undefined;
  const rest = also(others.map(({ step }) => ({ name: step })));
  return { step: first.step, message: `step ${first.step}: ${first.message}${rest}` };
}

function lostFieldsBySteps({ snapshot, flow }: Situation): readonly LostFields[] {
  if (snapshot.warnings === undefined) return [];
  const lost = new Map<string | undefined, string>();
  for (const { name, labels: own } of snapshot.jobs) {
    const message = saidOf(snapshot.warnings, name);
    if (message !== undefined) lost.set(own[labels.step], message);
  }
  return flow.spec.flows.flatMap(({ name: step }) => {
    const message = lost.get(step);
    return message === undefined ? [] : [{ step, message }];
  });
}

/** Undefined: the object of this name lost no field. */
function saidOf(warnings: readonly WriteWarning[] = [], name: string): string | undefined {
  const own = warnings.filter((warning) => warning.name === name).map(({ message }) => message);
  const [first] = own;
  if (first === undefined) return undefined;
  const text = `${listed(own, 3)}: the cluster left it out of the Job`;
  return withCommand(text, explainedBeside(unknownFieldIn(first)));
}
