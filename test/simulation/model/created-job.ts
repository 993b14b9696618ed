/** The expected content of a Job (rules 2, 3, 5, 6, 7, 8 and 14). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { jobName } from './attempts-and-retries.ts';
import { isSameData } from '../same-data.ts';
import { podOfStep } from './pod-of-a-step.ts';
import type { Start } from './starting.ts';

export function createdJobFaults(flow: JobFlow, start: Start, job: NewObject): readonly string[] {
  const { metadata, spec } = { ...job, spec: job.spec as JobSpec };
  const { jobTemplate, hash, step, attempt } = start;
  const { labels: everywhere, annotations: notedEverywhere } = flow.spec.globalParams ?? {};
  const owner = metadata.ownerReferences?.[0];
  // In the simulation no steps share a podSet.
  const placed = flow.spec.podSetInfos?.find(({ name }) => name === step.name);
  const ours = {
    [labels.flow]: flow.metadata.name,
    [labels.ownerUid]: flow.metadata.uid,
    [labels.step]: step.name,
    [labels.attempt]: String(attempt),
  };
  const { ttlSecondsAfterFinished: ttl, template, ...said } = jobTemplate;
  const notes = {
    ...notedEverywhere,
    ...(ttl === undefined ? {} : { [annotations.ttlSecondsAfterFinished]: String(ttl) }),
    ...(hash === undefined ? {} : { [annotations.templateHash]: hash }),
    // No template of the simulation has a placement.
    ...(placed === undefined ? {} : { [annotations.placed]: '{}' }),
  };
  const { template: pods, ...rest } = spec;
  return [
    ...differs('name', jobName(flow, step.name, attempt), metadata.name),
    ...differs('owner', flow.metadata.uid, owner?.controller === true ? owner.uid : undefined),
    ...differs('labels', { ...everywhere, ...ours }, metadata.labels),
    ...differs(
      'labels of its Pods',
      { ...everywhere, ...template.metadata?.labels, ...placed?.labels, ...ours },
      pods.metadata?.labels,
    ),
    ...differs('annotations', notes, metadata.annotations ?? {}),
    ...differs(
      'annotations of its Pods',
      { ...notedEverywhere, ...template.metadata?.annotations, ...placed?.annotations },
      pods.metadata?.annotations ?? {},
    ),
    // Its TTL is set only after its result is recorded. A disruption of its Pod is no failure,
    // unless the template says otherwise.
    ...differs('spec', { backoffLimit: 0, podFailurePolicy: toleratesDisruption, ...said }, rest),
    ...differs('Pods', podOfStep(flow.spec, step, template.spec), pods.spec),
  ].map((fault) => `the Job of ${step.name}, attempt ${attempt}: ${fault}`);
}

/** For a Job whose owner sets no podFailurePolicy. */
export const toleratesDisruption = {
  rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
};

export function differs(what: string, expected: unknown, came: unknown): readonly string[] {
  if (expected === came) return [];
  // Two simple values are known to differ at this point.
  const isSimple = typeof expected !== 'object' && typeof came !== 'object';
  if (!isSimple && isSameData(expected, came)) return [];
  const [left, right] = [json(expected), json(came)];
  return left === right ? [] : [`${what}: expected ${left}, came ${right}`];
}

/** With sorted members; `nothing` for undefined. */
function json(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value !== 'object') return JSON.stringify(value);
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)),
        )
      : member,
  );
}
