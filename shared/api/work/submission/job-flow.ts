/** A JobFlow submits a Job for each step. */
import { type Fault, Hints } from '../../fault.ts';
import type { FlowStep, JobFlow } from '../../job-flow.ts';
import { graphFaults, ruleFaults, uniquenessFaults } from '../../job-flow-rules.ts';
import type { JobTemplateObject } from '../../job-template.ts';
import type { JobSpec } from '../../pod-template.ts';
import { isObject, listOf } from '#shared/domain/json-value.ts';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { renderJob } from '#shared/render/render-job.ts';
import { templateFault } from '#shared/render/template-fault.ts';
import type { Child, KnownTemplates, Rendered, Submission } from './submission.ts';
import { remarksOnFlow, remarksOnJob } from './remarks.ts';
import { withoutOwner } from './without-owner.ts';

export const jobFlowSubmission: Submission = {
  creates: resources.Job,
  faults: (object) => {
    const { metadata, spec } = asFlow(object);
    return [...uniquenessFaults(spec), ...ruleFaults(metadata.name, spec), ...graphFaults(spec)];
  },
  hints: unknownDependencies,
  templates: {
    resource: resources.JobTemplate,
    path: 'spec.flows',
    namesIn: (object) => [
      ...new Set(asFlow(object).spec.flows.flatMap((step) => step.jobTemplateRef ?? [])),
    ],
    jobOf: (template) => (template as JobTemplateObject).spec.jobTemplate,
  },
  nodeNames: (object) => {
    const { globalParams, flows } = asFlow(object).spec;
    const own = flows.map(({ jobTemplate }) => jobTemplate?.template.spec.nodeName);
    return boundTo(globalParams?.nodeName, ...own);
  },
  children: (object, templates) => renderSteps(asFlow(object), templates),
  remarks: (object) => {
    const flow = asFlow(object);
    return [
      ...remarksOnFlow(flow.spec),
      ...flow.spec.flows.flatMap((step) =>
        step.jobTemplate === undefined
          ? []
          : remarksOnJob(`step "${step.name}"`, step.jobTemplate, step.retryPolicy?.limit),
      ),
    ];
  },
};

/** Each Job as its first attempt, once for all steps with the same template. */
export function renderSteps(flow: JobFlow, templates: KnownTemplates): Rendered {
  const children: Child[] = [];
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const [index, step] of flow.spec.flows.entries()) {
    const jobTemplate = templateOf(step, templates);
    const { shareVolumes, shareVolumeMounts } = step;
    const key = JSON.stringify([jobTemplate, shareVolumes, shareVolumeMounts]);
    if (seen.has(key)) continue;
    seen.add(key);
    const fault = templateFault(flow.spec, step, jobTemplate);
    if (fault === undefined) {
      children.push({ of: `step "${step.name}"`, job: childJob(flow, step, jobTemplate) });
    } else {
      faults.push({ path: `spec.flows[${index}]`, message: `step "${step.name}": ${fault}` });
    }
  }
  return { children, faults };
}

function childJob(flow: JobFlow, step: FlowStep, jobTemplate: JobSpec): NewObject {
  const attempt = { step, attempt: 0, jobTemplate, templateHash: undefined };
  return withoutOwner(renderJob(flow, attempt).object);
}

/** Those of these names that are given. */
export function boundTo(...names: readonly (string | undefined)[]): ReadonlyMap<string, string> {
  const meaning = 'no Pod that is bound to it will run';
  const given = names.flatMap((name = '') => (name === '' ? [] : [[name, meaning] as const]));
  return new Map(given);
}

/** A missing JobTemplate is judged when it is created; the flow's own additions are judged now. */
function templateOf({ jobTemplate, jobTemplateRef = '' }: FlowStep, templates: KnownTemplates) {
  return jobTemplate ?? ownMember(templates, jobTemplateRef) ?? standIn;
}

/**
 * A template that keeps the strictest policy, so that only the flow's additions can break a policy.
 */
const standIn: JobSpec = {
  template: {
    spec: {
      containers: [
        {
          name: 'main',
          image: 'stand-in',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
    },
  },
};

/** The policy that refuses such a flow cannot suggest a similar name. */
function unknownDependencies(object: JsonObject): readonly string[] {
  const spec = isObject(object['spec']) ? object['spec'] : {};
  const steps = listOf(spec['flows']).filter(isObject);
  const names = new Set(steps.map(({ name }) => name).filter(isText));
  const hints = new Hints(names);
  return steps.flatMap(({ name, dependencies }) =>
    listOf(dependencies)
      .filter(isText)
      .flatMap((dependency) => {
        const itself = isText(name) ? name : undefined;
        const near = names.has(dependency) ? undefined : hints.nearTo(dependency, itself);
        if (near === undefined) return [];
        return [`step ${JSON.stringify(name)} depends on "${dependency}": did you mean "${near}"?`];
      }),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function asFlow(object: JsonObject): JobFlow {
  return object as unknown as JobFlow;
}
