/** Finds the JobSpec that a step runs: its own, or a pinned or current JobTemplate (rules 17 and 18). */
import { jobFlowDefaults, type FlowStep } from '#shared/api/job-flow.ts';
import type { PinnedTemplate } from '#shared/api/job-flow-status.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { ManualRetry } from './retry.ts';
import type { Situation } from './situation.ts';

export type Resolution =
  | { readonly kind: 'resolved'; readonly jobTemplate: JobSpec; readonly hash?: string }
  | { readonly kind: 'missing'; readonly template: string };

export interface Templates {
  readonly of: (step: FlowStep) => Resolution;
  /** JobTemplates that are needed now and do not exist, in spec order. */
  readonly missing: readonly string[];
  /** Nothing may start until all templates exist: they are pinned together, at the start. */
  readonly holdsAll: boolean;
  /** Recorded with the first start or a retry. The content is copied, so later edits and deletions have no effect. */
  readonly pinned: readonly PinnedTemplate[];
  /** The flow refers to at least one JobTemplate. */
  readonly isUsed: boolean;
}

/** A retry by hand reads the templates of its steps again: they may have been corrected. */
export function resolveTemplates(situation: Situation, retry: ManualRetry): Templates {
  const references = referencesOf(situation.flow.spec.flows);
  const { templates } = situation.snapshot;
  const pins = isPinning(situation);
  const recorded = new Map((situation.status.pinnedTemplates ?? []).map((pin) => [pin.name, pin]));
  for (const name of retriedTemplates(situation.flow.spec.flows, retry)) recorded.delete(name);
  const known = (name: string) =>
    (pins ? recorded.get(name) : undefined) ?? ownMember(templates, name);
  const missing = references.filter((name) => known(name) === null);
  return {
    of: (step) => resolve(step, known),
    missing,
    holdsAll: pins && missing.length > 0,
    pinned: pins ? references.flatMap((name) => pinOf(known(name))) : [],
    isUsed: references.length > 0,
  };
}

/** Templates of the steps that a retry by hand starts again. */
export function retriedTemplates(
  flows: readonly FlowStep[],
  { resetSteps }: Pick<ManualRetry, 'resetSteps'>,
): readonly string[] {
  if (resetSteps.length === 0) return [];
  const reset = new Set(resetSteps);
  return referencesOf(flows.filter(({ name }) => reset.has(name)));
}

export function referencesOf(flows: readonly FlowStep[]): readonly string[] {
  return [...new Set(flows.flatMap((step) => step.jobTemplateRef ?? []))];
}

function isPinning({ flow }: Situation): boolean {
  return (flow.spec.templatePolicy ?? jobFlowDefaults.templatePolicy) === 'PinAtStart';
}

/** A template that was not read counts as missing: no step starts on a guess. */
function resolve(
  step: FlowStep,
  known: (name: string) => PinnedTemplate | null | undefined,
): Resolution {
  if (step.jobTemplateRef === undefined) {
    return step.jobTemplate === undefined
      ? { kind: 'missing', template: '' }
      : { kind: 'resolved', jobTemplate: step.jobTemplate };
  }
  const template = known(step.jobTemplateRef);
  return template === undefined || template === null
    ? { kind: 'missing', template: step.jobTemplateRef }
    : { kind: 'resolved', jobTemplate: template.jobTemplate, hash: template.hash };
}

function pinOf(template: PinnedTemplate | null | undefined): readonly PinnedTemplate[] {
  if (template === undefined || template === null) return [];
  const { name, uid, generation, hash, jobTemplate, submitter, seal } = template;
  return [
    {
      ...{ name, uid, generation, hash, jobTemplate },
      ...(submitter === undefined ? {} : { submitter }),
      ...(seal === undefined ? {} : { seal }),
    },
  ];
}
