/** The expected conditions of a flow (rule 9). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { namesIn } from './attempts-and-retries.ts';
import type { Summary } from './flow-state.ts';
import { holdWords, suspensionReason } from './held.ts';
import type { Look, Step } from './look.ts';
import { isRefused } from './starting.ts';
import { hasSettled } from './suspension.ts';
import { missingTemplates, references } from './template-resolution.ts';
import type { Finding, Findings } from './predicted-conditions.ts';

/** The findings about a running flow. */
export function findingsOf(look: Look, steps: readonly Step[], summary: Summary): Findings {
  const refused = steps.find(({ predicted }) => isRefused(predicted));
  const failed = namesIn(steps, 'Failed');
  return {
    Accepted: { isTrue: true, reason: 'Valid' },
    ...templatesFinding(look),
    ...endFindings(summary),
    Blocked:
      refused === undefined
        ? { isTrue: false, reason: 'NotBlocked' }
        : { isTrue: true, reason: refused.predicted.reason ?? '', mentions: [refused.spec.name] },
    StepFailed:
      failed.length === 0
        ? { isTrue: false, reason: 'NoStepFailed' }
        : { isTrue: true, reason: 'StepFailed', mentions: failed },
    Suspended: suspendedFinding(look.flow, steps, summary),
  };
}

function templatesFinding(look: Look): Findings {
  if (references(look.flow).length === 0) return {};
  const missing = missingTemplates(look);
  return {
    TemplatesResolved:
      missing.length === 0
        ? { isTrue: true, reason: 'Resolved' }
        : { isTrue: false, reason: 'JobTemplateNotFound', mentions: missing },
  };
}

function suspendedFinding(flow: JobFlow, steps: readonly Step[], { state }: Summary): Finding {
  if (state !== 'Suspended') return { isTrue: false, reason: 'Resumed' };
  // Why it is suspended, even while it is shut down.
  const reason = suspensionReason(flow.metadata);
  return hasSettled(flow, steps)
    ? { isTrue: true, reason, ...holdWords(flow.metadata) }
    : { isTrue: false, reason: 'Suspending' };
}

export function endFindings({ state, reason }: Summary): Findings {
  const [isComplete, isFailed] = [state === 'Succeed', state === 'Failed'];
  return {
    Progressing: {
      isTrue: state === 'Running',
      reason: ['Pending', 'Running'].includes(state) ? (reason ?? state) : state,
    },
    Complete: { isTrue: isComplete, reason: isComplete ? 'AllStepsSucceeded' : 'NotComplete' },
    Failed: { isTrue: isFailed, reason: isFailed ? (reason ?? '') : 'Restarted' },
  };
}
