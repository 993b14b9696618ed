import type { JobTemplateObject } from '#shared/api/job-template.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { annotations } from '#shared/domain/labels.ts';
import { jsonBytes } from '#shared/domain/stored-size.ts';
import type { ObservedTemplate } from '../snapshot.ts';

/** Adds the size of the template's copy in the status. */
export function measured(template: ObservedTemplate): ObservedTemplate {
  return { ...template, bytes: copyBytes(template) };
}

export function copyBytes({
  jobTemplate,
  submitter,
}: Pick<ObservedTemplate, 'jobTemplate' | 'submitter'>): number {
  return jsonBytes(jobTemplate) + (submitter === undefined ? 0 : jsonBytes(submitter));
}

/** The CRD requires `spec.jobTemplate` with a Pod spec in it. */
export function asObservedTemplate(object: KubeObject): ObservedTemplate {
  const { metadata, spec } = object as JobTemplateObject;
  const { jobTemplate } = spec;
  const submitter = metadata.annotations?.[annotations.submitter];
  return {
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    hash: contentHash(jobTemplate),
    jobTemplate,
    ...(submitter === undefined ? {} : { submitter }),
  };
}
