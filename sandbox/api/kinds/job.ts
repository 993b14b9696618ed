/** Job (pkg/registry/batch/job/strategy.go, pkg/apis/batch/v1/defaults.go). */
import { type Draft, withMeta } from '../draft.ts';
import { ownStatus, statusOnly, type Strategy } from '../strategy.ts';
import { withConditionTimes } from './condition-times.ts';
import { withFailurePolicyDefaults } from './job-failure-policy.ts';
import { withSelector } from './job-selector.ts';
import { jobChangeFaults, jobFaults } from './job-rules.ts';
import { jobStatusFaults } from './job-status-rules.ts';
import type { JobSpec, JobTemplate } from './job-spec.ts';
import { withPodSpecDefaults, type PodSpec } from './pod-template-defaults.ts';

export const job: Strategy = {
  ...ownStatus,
  garbage: 'orphan',
  defaults: withDefaults,
  prepareCreate: (object) => withSelector({ ...object, status: {} }),
  prepareStatus: (object, old) => withConditionTimes(statusOnly(object, old)),
  faults: (object, isCreate) => jobFaults(object, isCreate),
  changeFaults: jobChangeFaults,
  statusFaults: jobStatusFaults,
};

function withDefaults(object: Draft): Draft {
  // Stored objects have their defaults.
  if (Object.isFrozen(object.spec)) return object;
  const spec = (object.spec ?? {}) as JobSpec;
  const template = spec.template ?? {};
  const isSingle = spec.completions === undefined && spec.parallelism === undefined;
  const limit = spec.backoffLimitPerIndex === undefined ? 6 : 2_147_483_647;
  const replaces = spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  const complete: JobSpec = {
    ...(isSingle ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: limit,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: replaces,
    ...spec,
    ...(spec.podFailurePolicy === undefined
      ? {}
      : { podFailurePolicy: withFailurePolicyDefaults(spec.podFailurePolicy) }),
    template: { ...template, spec: withTemplateDefaults(template.spec ?? {}) },
  };
  return withTemplateLabels({ ...object, spec: complete }, template);
}

/** A Job must set restartPolicy: the default of Pods does not apply to it. */
function withTemplateDefaults(spec: PodSpec): PodSpec {
  return withPodSpecDefaults(spec);
}

/** SetDefaults_Job: a Job without labels gets those of its template. */
function withTemplateLabels(object: Draft, { metadata }: JobTemplate): Draft {
  if (object.metadata.labels !== undefined || metadata?.labels === undefined) return object;
  return withMeta(object, { labels: metadata.labels });
}
