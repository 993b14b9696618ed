/** The objects that wake flow-advance: a flow, its Jobs, problems of their Pods, and JobTemplates that it names. */
import { jobFlowKind } from '#shared/api/job-flow.ts';
import { jobTemplateKind } from '#shared/api/job-template.ts';
import { templateNames } from '#shared/api/template-names.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import {
  jobFingerprint,
  podFingerprint,
  specFingerprint,
  wishFingerprint,
} from '#shared/subscription/fingerprint.ts';
import { keepOfJob, keepOfPod } from '#shared/subscription/keep.ts';
import { namedBy } from '#shared/subscription/named-by.ts';
import { controllerOfController } from '#shared/subscription/controller-of-controller.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { isRunElsewhere, isUnfinished } from './subscription/unfinished.ts';
import { hasEnded } from '#shared/parents/unfinished.ts';

const { JobFlow, JobTemplate, Job, Pod } = resources;

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
    {
      resource: Job,
      only: 'children',
      leadsTo: 'controller',
      fingerprint: jobFingerprint,
      keep: keepOfJob,
    },
    {
      resource: Pod,
      only: 'children',
      leadsTo: controllerOfController(JobFlow, Job),
      fingerprint: podFingerprint,
      keep: keepOfPod,
    },
  ],
  isUnfinished,
  access: [
    { resource: JobFlow, verbs: ['get', 'delete'] },
    { resource: JobFlow, subresource: 'status', verbs: ['patch'] },
    // Needed for blockOwnerDeletion in an owner reference (OwnerReferencesPermissionEnforcement).
    { resource: JobFlow, subresource: 'finalizers', verbs: ['update'] },
    { resource: JobTemplate, verbs: ['get'] },
    { resource: Job, verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { resource: Pod, verbs: ['list'] },
    // Only the Events of a Job say why it has no Pod.
    { resource: resources.Event, verbs: ['list', 'create'] },
    // To check whether the submitter may still create Jobs.
    { resource: resources.SubjectAccessReview, verbs: ['create'] },
    // Its uid identifies the cluster, and so the journal.
    { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
  ],
};
