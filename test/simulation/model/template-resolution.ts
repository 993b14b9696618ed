/** From which JobTemplate a step runs, and when it is read (rules 17 and 18). */
import type { FlowStep, JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { retriedSteps, wantedRetry } from './attempts-and-retries.ts';
import type { Look, SeenTemplate } from './look.ts';

export function pinsTemplates({ spec }: JobFlow): boolean {
  return (spec.templatePolicy ?? 'PinAtStart') === 'PinAtStart';
}

/** What somebody submits, retries or resumes is to run from templates as they are then, also where it pins none. */
export function startsByHand(flow: JobFlow): boolean {
  const { spec, status } = flow;
  if (spec.suspend === true) return false;
  const isFirst = status?.startTime === undefined || status.state === 'Suspended';
  return isFirst || wantedRetry(flow) !== undefined;
}

export interface Resolved {
  readonly jobTemplate: JobSpec;
  /** Only of a JobTemplate. */
  readonly hash?: string;
}

/** Null: it does not exist. Undefined: nobody looked. */
export function templateOf(look: Look, { jobTemplate, jobTemplateRef }: FlowStep) {
  if (jobTemplateRef === undefined) return jobTemplate === undefined ? null : { jobTemplate };
  return named(look, jobTemplateRef);
}

/** What was pinned at the start, whatever has become of it since; a retry by hand takes that of its steps as it is. */
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

/** By name, as they are to be on record from the start on. */
export function pins(look: Look): Readonly<Record<string, string>> {
  if (!pinsTemplates(look.flow)) return {};
  const known = references(look.flow).flatMap((name) => {
    const template = named(look, name);
    return template ? [[name, `${template.uid} ${template.generation} ${template.hash}`]] : [];
  });
  return Object.fromEntries(known) as Record<string, string>;
}
