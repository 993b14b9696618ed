/** The JobTemplate that a step uses, and the time at which it is read (rules 17 and 18). */
import type { FlowStep, JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { retriedSteps, wantedRetry } from './attempts-and-retries.ts';
import type { Look, SeenTemplate } from './look.ts';

export function pinsTemplates({ spec }: JobFlow): boolean {
  return (spec.templatePolicy ?? 'PinAtStart') === 'PinAtStart';
}

/** After a submission, a retry or a resumption, current templates are used, even if none are pinned. */
export function startsByHand(flow: JobFlow): boolean {
  const { spec, status } = flow;
  if (spec.suspend === true) return false;
  const isFirst = status?.startTime === undefined || status.state === 'Suspended';
  return isFirst || wantedRetry(flow) !== undefined;
}

export interface Resolved {
  readonly jobTemplate: JobSpec;
  /** Only for a JobTemplate. */
  readonly hash?: string;
}

/** Null: it does not exist. Undefined: it was not read. */
export function templateOf(look: Look, { jobTemplate, jobTemplateRef }: FlowStep) {
  if (jobTemplateRef === undefined) return jobTemplate === undefined ? null : { jobTemplate };
  return named(look, jobTemplateRef);
}

/**
 * The template that was pinned at the start, even if it changed since. A manual retry uses the current ones for its
 * steps.
 */
function named({ flow, templates }: Look, name: string): SeenTemplate | null | undefined {
  const retried = retriedSteps(flow);
  const isAnew = flow.spec.flows.some(
    (step) => step.jobTemplateRef === name && retried.has(step.name),
  );
  const pin = isAnew ? undefined : flow.status?.pinnedTemplates?.find((each) => each.name === name);
  return pin !== undefined && pinsTemplates(flow) ? pin : templates.get(name);
}

export function references({ spec }: JobFlow): readonly string[] {
  return [...new Set(spec.flows.flatMap(({ jobTemplateRef }) => jobTemplateRef ?? []))];
}

export function missingTemplates(look: Look): readonly string[] {
  return references(look.flow).filter((name) => named(look, name) === null);
}

/** By name, as they must be recorded from the start. */
export function pins(look: Look): Readonly<Record<string, string>> {
  if (!pinsTemplates(look.flow)) return {};
  const known = references(look.flow).flatMap((name) => {
    const template = named(look, name);
    return template ? [[name, `${template.uid} ${template.generation} ${template.hash}`]] : [];
  });
  return Object.fromEntries(known) as Record<string, string>;
}
