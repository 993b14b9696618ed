/**
 * A JobFlow in a queue: one Workload for the whole, a podSet for each step, and the quota of finished steps given
 * back.
 */
import type { FlowStep, JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import { mostPodSets } from '#shared/api/pod-set-info.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import { templateNames } from '#shared/api/template-names.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { podSetNames } from '#shared/render/pod-sets.ts';
import { renderPodSpec } from '#shared/render/render-pod.ts';
import { templateFault } from '#shared/render/template-fault.ts';
import { flowController, otherController } from '../managed-by.ts';
import { describedTemplate } from './described-template.ts';
import { hasStopped, isUntouched } from './stopped.ts';
import type { DescribedPodSet, End, Needed, PodSets, Queueing, Reclaimable } from './queueing.ts';

export const jobFlowQueueing: Queueing = {
  podSets: (object, needed) => podSetsOf(asFlow(object), needed),
  needs: {
    resource: resources.JobTemplate,
    namesIn: unpinnedTemplates,
    // The CRD requires it.
    partOf: (template) => (template as JobTemplateObject).spec.jobTemplate,
  },
  labelsOfParts: ({ globalParams, flows }) => [
    { path: 'spec.globalParams.labels', labels: fieldsOf(globalParams)['labels'] },
    ...listOf(flows).map((step, index) => {
      const { template } = fieldsOf(fieldsOf(step)['jobTemplate']);
      return {
        path: `spec.flows[${index}].jobTemplate.template.metadata.labels`,
        labels: fieldsOf(fieldsOf(template)['metadata'])['labels'],
      };
    }),
  ],
  isActive,
  endOf: (object) => endOf(asFlow(object)),
  arePodsReady: (object) => hasBegun(asFlow(object)),
  reclaimable: (object) => reclaimable(asFlow(object)),
  place: (_object, admitted) => ({ podSetInfos: admitted.map(({ info }) => ({ ...info })) }),
  takeBack: () => ({ podSetInfos: null }),
  restsOn: (object) => {
    const flow = asFlow(object);
    const { state = '', progress = '', running = 0 } = flow.status ?? {};
    // While the flow runs, no answer depends on whether a step runs just now: that changes with each wave of steps.
    return [state, progress, hasBegun(flow), mayStop(flow) && running > 0, hasStopped(object)];
  },
  jobs: {
    podSetOf: (object, { [labels.step]: step = '' }) =>
      podSetNames(asFlow(object).spec.flows).get(step),
  },
};

/** The CRD's schema guarantees the shape. */
function asFlow(object: KubeObject): JobFlow {
  return object as unknown as JobFlow;
}

function podSetsOf(flow: JobFlow, needed: Needed): PodSets {
  const groups = [...groupsOf(flow)];
  if (groups.length > mostPodSets) {
    return {
      kind: 'impossible',
      message:
        `the ${flow.spec.flows.length} steps have ${groups.length} different templates, and a Workload takes ` +
        `${mostPodSets}; take the label away and label the steps instead (spec.globalParams.labels)`,
    };
  }
  const over = stepsIn(flow, isOver);
  const podSets: DescribedPodSet[] = [];
  for (const [name, steps] of groups) {
    const [first] = steps;
    const found = first === undefined ? undefined : templateOf(flow, first, needed);
    const settled = steps.every((step) => over.has(step.name));
    if (first === undefined || found === undefined || found === null) {
      if (settled) {
        podSets.push({ name, ...nothingLeft });
        continue;
      }
      const missing = first?.jobTemplateRef ?? '';
      return { kind: 'waits', message: `there is no JobTemplate "${missing}"` };
    }
    const fault = templateFault(flow.spec, first, found);
    if (fault !== undefined)
      return { kind: 'impossible', message: `step "${first.name}": ${fault}` };
    const { metadata, spec } = found.template;
    podSets.push({
      name,
      count: steps.length * podsAtOnce(found),
      template: describedTemplate({
        metadata: {
          ...metadata,
          labels: { ...flow.spec.globalParams?.labels, ...metadata?.labels },
        },
        spec: renderPodSpec(flow.spec, first, spec),
      }),
      ...(settled ? { isOver: true } : {}),
    });
  }
  return { kind: 'podSets', podSets };
}

/** For finished steps whose template is gone. A podSet needs a container. */
const nothingLeft = {
  count: 0,
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'over' }] } },
  isOver: true,
} as const;

/** Templates that a step names and the start of the flow has not pinned. */
function unpinnedTemplates(object: KubeObject): readonly string[] {
  const { status } = object as Partial<JobFlow>;
  const pinned = new Set((status?.pinnedTemplates ?? []).map(({ name }) => name));
  return templateNames(object).filter((name) => !pinned.has(name));
}

/** The steps of each podSet, in the order of the spec. */
function groupsOf({ spec }: JobFlow): ReadonlyMap<string, readonly FlowStep[]> {
  const names = podSetNames(spec.flows);
  return Map.groupBy(spec.flows, ({ name }) => names.get(name) ?? name);
}

/** The pinned template from the start of the flow, which its steps are made from. */
function templateOf(
  { status }: JobFlow,
  { jobTemplate, jobTemplateRef }: FlowStep,
  needed: Needed,
): JobSpec | null | undefined {
  if (jobTemplateRef === undefined) return jobTemplate;
  const pinned = status?.pinnedTemplates?.find(({ name }) => name === jobTemplateRef);
  return pinned?.jobTemplate ?? (ownMember(needed, jobTemplateRef) as JobSpec | null);
}

/** As the Job controller does: never more Pods than remaining completions. */
function podsAtOnce({ parallelism = 1, completions = parallelism }: JobSpec): number {
  return Math.min(parallelism, completions);
}

/**
 * Its own status says that everything has stopped; a status of an earlier generation does not count. A flow before
 * its first pass has no Jobs.
 */
function isActive(object: KubeObject): boolean {
  const flow = asFlow(object);
  const { spec, status } = flow;
  if (isUntouched(object) || endOf(flow) !== undefined) return false;
  // This status is of the flow in another cluster, which has generations of its own.
  if (otherController(spec, flowController) !== undefined) return (status?.running ?? 0) > 0;
  if (spec.suspend !== true) return status?.startTime !== undefined;
  return !hasStopped(object) || (status?.running ?? 0) > 0;
}

/** Its quota is given back when no step runs any more. */
function mayStop({ spec }: JobFlow): boolean {
  return spec.suspend === true || otherController(spec, flowController) !== undefined;
}

function endOf({ status }: JobFlow): End | undefined {
  const { state, message = '', reason } = status ?? {};
  if (state === 'Succeed') return { isSuccess: true, message: 'every step succeeded' };
  if (state !== 'Failed') return undefined;
  return { isSuccess: false, message: message === '' ? (reason ?? 'the flow failed') : message };
}

/** Its first steps run. Later steps have their quota already. */
function hasBegun(flow: JobFlow): boolean {
  return stepsIn(flow, ({ state }) => state === 'Running' || state === 'Succeed').size > 0;
}

/** Only succeeded steps: a user may retry a failed one. */
function reclaimable(flow: JobFlow): readonly Reclaimable[] {
  const succeeded = stepsIn(flow, ({ state }) => state === 'Succeed');
  if (succeeded.size === 0) return [];
  return [...groupsOf(flow)].flatMap(([name, steps]) => {
    const over = steps.filter((step) => succeeded.has(step.name)).length;
    return over === 0 ? [] : [{ name, over, of: steps.length }];
  });
}

function isOver({ state }: StepRecord): boolean {
  return state === 'Succeed' || state === 'Failed' || state === 'Skipped';
}

function stepsIn(
  { metadata, spec, status }: JobFlow,
  isIt: (record: StepRecord) => boolean,
): ReadonlySet<string> {
  if (status === undefined) return new Set();
  const { jobStatusList = [] } = withAllRecords(metadata, spec.flows, status);
  return new Set(jobStatusList.filter(isIt).map(({ name }) => name));
}
