/** A JobTemplate is judged by the Job of a step that uses it. */
import type { JobFlow } from '../../job-flow.ts';
import type { JobTemplateObject } from '../../job-template.ts';
import { podSpecFaults, podTemplateFaults } from '../../pod-template-rules.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Submission } from './submission.ts';
import { boundTo, renderSteps } from './job-flow.ts';
import { remarksOnJob } from './remarks.ts';

const at = 'spec.jobTemplate';

export const jobTemplateSubmission: Submission = {
  creates: resources.Job,
  faults: (object) => {
    const { jobTemplate } = asTemplate(object).spec;
    return [...podTemplateFaults(jobTemplate, at), ...podSpecFaults(jobTemplate, at)];
  },
  nodeNames: (object) => boundTo(asTemplate(object).spec.jobTemplate.template.spec.nodeName),
  children: (object) => {
    const { children, faults } = renderSteps(flowOf(asTemplate(object)), {});
    return {
      children: children.map((child) => ({ ...child, of: at })),
      faults: faults.map(({ message }) => ({ path: at, message })),
    };
  },
  remarks: (object) => remarksOnJob(at, asTemplate(object).spec.jobTemplate, undefined),
};

/** A minimal flow. Its names are short, independent of the template's name. */
function flowOf({ metadata: { namespace }, spec }: JobTemplateObject): JobFlow {
  const { apiVersion, kind } = flow;
  return {
    ...{ apiVersion, kind },
    metadata: { ...flow.metadata, ...(namespace === undefined ? {} : { namespace }) },
    spec: { flows: [{ name: 'template', jobTemplate: spec.jobTemplate }] },
  };
}

const flow = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: { name: 'job', uid: '', resourceVersion: '' } as unknown as JobFlow['metadata'],
};

function asTemplate(object: JsonObject): JobTemplateObject {
  return object as unknown as JobTemplateObject;
}
