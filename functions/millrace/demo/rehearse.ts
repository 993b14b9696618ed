/**
 * Prepares an example for a demo: the same steps in less time, and one that fails if requested. Virtual nodes read
 * run time and exit code from annotations, to the millisecond. A real kubelet runs the command, in whole seconds.
 */
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { DaemonJobDemo, Demo } from './catalogue.ts';

/** For virtual nodes, of the sandbox and of `npm run cluster`. */
const runAnnotations = (ms: number) => ({
  'sandbox.millrace.dev/run-seconds': String(ms / 1000),
  'simulate.millrace.dev/run-for': `${ms}ms`,
});
const exitAnnotations = (code: string) => ({
  'sandbox.millrace.dev/exit-code': code,
  'simulate.millrace.dev/exit-code': code,
});

export interface Rehearsal {
  /** `sleep 100` takes 100 s divided by this. */
  readonly timesFaster: number;
  /** The step that has to fail. */
  readonly fail?: string;
}

interface Container {
  readonly command?: readonly string[];
}
interface JobTemplate {
  readonly template: {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    readonly spec: { readonly containers: readonly Container[] };
  };
}
interface Step {
  readonly name: string;
  readonly jobTemplate?: JobTemplate;
  readonly jobTemplateRef?: string;
}

/** Throws CommandFailure if the step that has to fail does not exist. */
export function rehearse(demo: Demo, rehearsal: Rehearsal): Demo {
  const steps = demo.flow.spec.flows as readonly Step[];
  const { fail } = rehearsal;
  if (fail !== undefined && !steps.some(({ name }) => name === fail)) {
    throw new CommandFailure(
      exitCodes.notFound,
      `${demo.name} has no step ${fail}; it has ${steps.map(({ name }) => name).join(', ')}`,
      `millrace demo ${demo.name} --fail ${steps[0]?.name ?? ''}`,
    );
  }
  const flows = steps.map((step) => rehearseStep(step, demo.templates, rehearsal));
  return {
    ...demo,
    flow: {
      ...demo.flow,
      spec: { ...demo.flow.spec, flows: flows as unknown as JobFlowSpec['flows'] },
    },
    templates: demo.templates.map((template) => rehearseTemplate(template, rehearsal.timesFaster)),
  };
}

/** The same DaemonJob in less time. */
export function rehearseDaemonJob(demo: DaemonJobDemo, timesFaster: number): DaemonJobDemo {
  const spec = demo.daemonJob.spec as unknown as JobTemplate;
  const rehearsed = { ...demo.daemonJob.spec, ...faster(spec, timesFaster) };
  return { ...demo, daemonJob: { ...demo.daemonJob, spec: rehearsed as DaemonJobSpec } };
}

function rehearseTemplate(object: NewObject, timesFaster: number): NewObject {
  const spec = object.spec as { readonly jobTemplate: JobTemplate };
  return { ...object, spec: { ...spec, jobTemplate: faster(spec.jobTemplate, timesFaster) } };
}

function rehearseStep(
  step: Step,
  templates: readonly NewObject[],
  { timesFaster, fail }: Rehearsal,
): Step {
  if (step.name !== fail) {
    const { jobTemplate } = step;
    return jobTemplate === undefined
      ? step
      : { ...step, jobTemplate: faster(jobTemplate, timesFaster) };
  }
  // Other steps may use the same template and must not fail, so this step gets its own copy.
  const { jobTemplateRef, ...rest } = step;
  const referred = templates.find(({ metadata }) => metadata.name === jobTemplateRef);
  const { jobTemplate } = (referred?.spec ?? step) as { readonly jobTemplate: JobTemplate };
  return { ...rest, jobTemplate: failing(faster(jobTemplate, timesFaster)) };
}

function faster(template: JobTemplate, timesFaster: number): JobTemplate {
  const command = commandOf(template).join(' ');
  const seconds = Number(/\bsleep (\d+)/.exec(command)?.[1] ?? 1);
  const exitCode = /\bexit (\d+)/.exec(command)?.[1] ?? '0';
  const shorter = annotated(template, {
    ...runAnnotations(Math.round((seconds * 1000) / timesFaster)),
    ...exitAnnotations(exitCode),
  });
  return withCommands(shorter, (part) =>
    part.replace(/\bsleep (\d+)s?\b/, (_, full: string) => {
      return `sleep ${Math.ceil(Number(full) / timesFaster)}`;
    }),
  );
}

function failing(template: JobTemplate): JobTemplate {
  const failed = annotated(template, exitAnnotations('1'));
  const last = commandOf(template).length - 1;
  return withCommands(failed, (part, index) => (index === last ? `${part}; exit 1` : part));
}

function annotated(template: JobTemplate, added: Readonly<Record<string, string>>): JobTemplate {
  const { metadata } = template.template;
  const annotations = { ...metadata?.annotations, ...added };
  return {
    ...template,
    template: { ...template.template, metadata: { ...metadata, annotations } },
  };
}

function withCommands(
  template: JobTemplate,
  rewrite: (part: string, index: number) => string,
): JobTemplate {
  const { spec } = template.template;
  const containers = spec.containers.map((container) =>
    container.command === undefined
      ? container
      : { ...container, command: container.command.map(rewrite) },
  );
  return { ...template, template: { ...template.template, spec: { ...spec, containers } } };
}

function commandOf({ template }: JobTemplate): readonly string[] {
  return template.spec.containers[0]?.command ?? [];
}
