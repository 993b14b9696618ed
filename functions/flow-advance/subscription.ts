/** The objects that wake flow-advance: a flow, its Jobs, problems of their Pods, and JobTemplates that it names. */
import { jobFlowKind } from '#shared/api/job-flow.ts';
import { jobTemplateKind } from '#shared/api/job-template.ts';
import { templateNames } from '#shared/api/template-names.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { specFingerprint, wishFingerprint } from '#shared/subscription/fingerprint.ts';
import { accessOfOwner, jobsOf } from '#shared/subscription/jobs-of.ts';
import { namedBy } from '#shared/subscription/named-by.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { isRunElsewhere, isUnfinished } from './subscription/unfinished.ts';
import { hasEnded } from '#shared/parents/unfinished.ts';

const { JobFlow, JobTemplate } = resources;

export const subscription: Subscription = {
  name: 'flow-advance',
  decides: [JobFlow],
  kinds: [jobFlowKind, jobTemplateKind],
  watches: [
    {
      resource: JobFlow,
      leadsTo: 'self',
      fingerprint: (flow) => (isRunElsewhere(flow) ? undefined : wishFingerprint(flow)),
      keep: stripMetadata,
    },
    {
      resource: JobTemplate,
      leadsTo: namedBy(JobFlow, templateNames, (flow) => !hasEnded(flow) && !isRunElsewhere(flow)),
      fingerprint: specFingerprint,
      keep: stripMetadata,
    },
    ...jobsOf(JobFlow),
  ],
  isUnfinished,
  access: accessOfOwner(JobFlow, { resource: JobTemplate, verbs: ['get'] }),
};
