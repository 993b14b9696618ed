/** The child Job of one attempt of a step (rules 2, 3, 5 to 8, 14). */
import type { FlowStep, JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec, PodTemplate } from '#shared/api/pod-template.ts';
import { annotations, isReservedKey, labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { CreateOperation } from '#shared/domain/plan.ts';
import { failurePolicyOf } from './failure-policy.ts';
import { podSetInfoOf, withPodSetInfo } from './pod-sets.ts';
import { renderPodSpec } from './render-pod.ts';
import { resources } from '#shared/domain/resources.ts';

export interface Attempt {
  readonly step: FlowStep;
  readonly attempt: number;
  readonly jobTemplate: JobSpec;
  /** Only for a JobTemplate. The flow's own templates are identified by its generation. */
  readonly templateHash: string | undefined;
}

export type StringMap = Readonly<Record<string, string>>;

export function renderJob(flow: JobFlow, attempt: Attempt): CreateOperation {
  const { metadata } = flow;
  const ours = ourLabels(flow, attempt);
  return {
    kind: 'create',
    resource: resources.Job,
    ownerUid: metadata.uid,
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: childJobName(metadata.name, attempt.step.name, attempt.attempt),
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        labels: { ...ofUser(flow.spec.globalParams?.labels), ...ours },
        ...nonEmpty('annotations', {
          ...ofUser(flow.spec.globalParams?.annotations),
          ...ourAnnotations(attempt),
          ...placedAnnotation(flow, attempt),
        }),
        ownerReferences: [
          {
            apiVersion: flow.apiVersion,
            kind: flow.kind,
            name: metadata.name,
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: renderSpec(flow, attempt, ours),
    },
  };
}

/** Without its TTL: the Job must not vanish before its result is recorded (rule 14). */
function renderSpec(flow: JobFlow, { step, jobTemplate }: Attempt, ours: StringMap): JsonObject {
  const spec = Object.entries(jobTemplate).filter(([name]) => name !== 'ttlSecondsAfterFinished');
  return {
    ...Object.fromEntries(spec),
    ...backoffLimitOf(jobTemplate),
    ...failurePolicyOf(jobTemplate),
    template: renderTemplate(flow, step, jobTemplate.template, ours),
  };
}

/**
 * 0 if the template does not set it (rule 2), because the flow does the retries. With a limit per
 * index the native default stays, because it bounds the failures of all indexes together.
 */
function backoffLimitOf(template: JobSpec): { readonly backoffLimit?: number } {
  const isSet = template.backoffLimit !== undefined || template.backoffLimitPerIndex !== undefined;
  return isSet ? {} : { backoffLimit: 0 };
}

function renderTemplate(
  flow: JobFlow,
  step: FlowStep,
  template: PodTemplate,
  ours: StringMap,
): JsonObject {
  const { globalParams } = flow.spec;
  const own = template.metadata;
  const rendered = {
    ...template,
    metadata: {
      ...own,
      labels: { ...ofUser(globalParams?.labels), ...ofUser(own?.labels), ...ours },
      ...nonEmpty('annotations', {
        ...ofUser(globalParams?.annotations),
        ...ofUser(own?.annotations),
      }),
    },
    spec: renderPodSpec(flow.spec, step, template.spec),
  };
  return withPodSetInfo(rendered, podSetInfoOf(flow.spec, step));
}

function ourLabels({ metadata }: JobFlow, { step, attempt }: Attempt): StringMap {
  return {
    [labels.flow]: metadata.name,
    [labels.ownerUid]: metadata.uid,
    [labels.step]: step.name,
    [labels.attempt]: String(attempt),
  };
}

function ourAnnotations({ jobTemplate, templateHash }: Attempt): StringMap {
  const ttl = jobTemplate.ttlSecondsAfterFinished;
  return {
    ...(ttl === undefined ? {} : { [annotations.ttlSecondsAfterFinished]: String(ttl) }),
    ...(templateHash === undefined ? {} : { [annotations.templateHash]: templateHash }),
  };
}

/** The placement before Kueue's: another admission may place the Pods elsewhere. */
function placedAnnotation({ spec }: JobFlow, { step, jobTemplate }: Attempt): StringMap {
  if (podSetInfoOf(spec, step) === undefined) return {};
  const { nodeSelector, tolerations } = jobTemplate.template.spec;
  return { [annotations.placed]: JSON.stringify({ nodeSelector, tolerations }) };
}

/** Users may not set Millrace's keys, because they identify children (rule 5). */
export function ofUser(map: StringMap | undefined): StringMap {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !isReservedKey(key)));
}

export function nonEmpty<Name extends string>(
  name: Name,
  map: StringMap,
): { readonly [Key in Name]?: StringMap } {
  return Object.keys(map).length === 0 ? {} : ({ [name]: map } as { [Key in Name]: StringMap });
}
