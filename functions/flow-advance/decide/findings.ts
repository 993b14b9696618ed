/** The conditions of a flow (rule 9). */
import type { Finding } from '#shared/domain/findings.ts';
import type { Standing } from '#shared/parents/conditions.ts';
import { whySuspended } from '#shared/parents/suspension.ts';
import { lostFieldsOfSteps } from './lost-fields.ts';
import { listed, unknownField } from './record.ts';
import { refusedSteps } from './refusals.ts';
import { failuresOf } from './removal.ts';
import type { ManualRetry } from './retry.ts';
import type { Situation } from './situation.ts';
import type { Step } from './steps.ts';
import type { Summary } from './summary.ts';
import { isSettled } from './suspend.ts';
import type { Templates } from './templates.ts';

export const accepted: Finding = {
  type: 'Accepted',
  isTrue: true,
  reason: 'Valid',
  message: 'the flow can be run',
};

/**
 * The API server reports a misspelt field of a template only when it creates the Job. So the remark
 * is kept, even after the end or other changes of the spec, until a retry starts steps again.
 */
export function acceptedWithRemark(situation: Situation, retry: ManualRetry): Finding {
  const known = situation.status.conditions?.find((condition) => condition.type === accepted.type);
  const isKept = known?.reason === unknownField && retry.resetSteps.length === 0;
  const message = isKept ? known.message : lostFieldsOfSteps(situation)?.message;
  return message === undefined ? accepted : { ...accepted, reason: unknownField, message };
}

export function templatesFinding(templates: Templates): readonly Finding[] {
  if (!templates.isUsed) return [];
  const { missing } = templates;
  const type = 'TemplatesResolved';
  return missing.length === 0
    ? [
        {
          type,
          isTrue: true,
          reason: 'Resolved',
          message: 'every JobTemplate that is needed exists',
        },
      ]
    : [
        {
          type,
          isTrue: false,
          reason: 'JobTemplateNotFound',
          message: `there is no JobTemplate named ${listed(missing, 40)}`,
        },
      ];
}

/** Conditions that follow from the summary and the steps. */
export function standingOf(
  situation: Situation,
  summary: Summary,
  steps: readonly Step[],
): Standing {
  const failed = failuresOf(steps.map(({ record }) => record));
  return {
    summary,
    refused: refusedSteps(steps)[0]?.record,
    failed: failed.map(({ name }) => name),
    suspension: () => {
      const { reason, message } = whySuspended(situation.flow.metadata, 'FlowSuspended');
      const isStill = isSettled(situation, steps);
      return { reason, message: `${message}: nothing new starts`, isSettled: isStill };
    },
  };
}
