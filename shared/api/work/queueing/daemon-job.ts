/**
 * A DaemonJob in a queue: one podSet with a Pod for each eligible node. The number is frozen while its quota is
 * reserved, so a new node is left out then (functions/daemon-fanout/decide/admission.ts).
 */
import { type DaemonJob, daemonJobDefaults } from '#shared/api/daemon-job.ts';
import { readLedger } from '#shared/api/node-ledger.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { everyNodesPod } from '#shared/render/render-node-job.ts';
import { shapeFault } from '#shared/render/template-fault.ts';
import { describedTemplate } from './described-template.ts';
import type { End, PodSets, Queueing } from './queueing.ts';
import { hasStopped, isUntouched } from './stopped.ts';

const name = 'nodes';

export const daemonJobQueueing: Queueing = {
  podSets: (object) => podSetsOf(asDaemonJob(object)),
  labelsOfParts: ({ globalParams, template }) => [
    { path: 'spec.globalParams.labels', labels: fieldsOf(globalParams)['labels'] },
    {
      path: 'spec.template.metadata.labels',
      labels: fieldsOf(fieldsOf(template)['metadata'])['labels'],
    },
  ],
  isActive: (object) => {
    const { metadata, spec, status } = asDaemonJob(object);
    if (isUntouched(object) || endOf(asDaemonJob(object)) !== undefined) return false;
    if (spec.suspend !== true) return status?.startTime !== undefined;
    const hasNotBegun =
      status?.startTime === undefined && status?.observedGeneration === metadata.generation;
    return !hasNotBegun && !hasStopped(object);
  },
  endOf: (object) => endOf(asDaemonJob(object)),
  // Later Pods under `parallelism` have their quota already.
  arePodsReady: (object) => {
    const { active = 0, succeeded = 0 } = asDaemonJob(object).status ?? {};
    return active + succeeded > 0;
  },
  reclaimable: (object) => {
    const { spec, status } = asDaemonJob(object);
    const [admitted] = spec.podSetInfos ?? [];
    const { over, wanted = 0 } = placesOf(status);
    return over === 0 ? [] : [{ name, over, of: admitted?.count ?? wanted }];
  },
  place: (_object, admitted) => ({
    podSetInfos: admitted.map(({ info, count }) => ({ ...info, count })),
  }),
  takeBack: () => ({ podSetInfos: null }),
  restsOn: (object) => {
    const { status = {} } = asDaemonJob(object);
    const { state, observedGeneration, startTime, desired, active = 0, succeeded = 0 } = status;
    return [
      ...[state ?? '', observedGeneration ?? 0, startTime !== undefined, desired ?? -1],
      ...[active > 0, succeeded, hasStopped(object)],
    ];
  },
  jobs: { podSetOf: () => name },
};

/** The CRD's schema guarantees the shape. */
function asDaemonJob(object: KubeObject): DaemonJob {
  return object as unknown as DaemonJob;
}

function podSetsOf({ metadata, spec, status }: DaemonJob): PodSets {
  if ((spec.completionPolicy ?? daemonJobDefaults.completionPolicy) === 'Never') {
    const message =
      'with completionPolicy Never it does not end, and would hold its quota for ever; set Always, or take the label away';
    return { kind: 'impossible', message };
  }
  const fault = shapeFault(spec);
  if (fault !== undefined) return { kind: 'impossible', message: fault };
  const { observedGeneration, conditions = [] } = status ?? {};
  const [admitted] = spec.podSetInfos ?? [];
  const count = admitted?.count ?? placesOf(status).wanted;
  const isCounted = admitted !== undefined || observedGeneration === metadata.generation;
  if (count === undefined || !isCounted) return { kind: 'notYet' };
  if (count === 0 && spec.allowEmpty !== true) {
    const eligible = conditions.find(({ type }) => type === 'NodesEligible');
    return { kind: 'waits', message: eligible?.message ?? 'no node can run it' };
  }
  const labels = { ...spec.globalParams?.labels, ...spec.template.metadata?.labels };
  const template = describedTemplate({
    metadata: { ...spec.template.metadata, labels },
    spec: everyNodesPod(spec),
  });
  return { kind: 'podSets', podSets: [{ name, count, template, takesCountOfWorkload: true }] };
}

/**
 * Counts of succeeded nodes and of all nodes. Removing a succeeded node must shrink neither. Its quota was given back,
 * so another node needs quota of its own.
 */
function placesOf({ desired, succeeded = 0, ledger }: NonNullable<DaemonJob['status']> = {}) {
  const states = [...readLedger(ledger).values()].map(({ state }) => state);
  const over = Math.max(succeeded, states.filter((state) => state === 'Succeeded').length);
  return { over, wanted: desired === undefined ? undefined : desired + over - succeeded };
}

function endOf({ status }: DaemonJob): End | undefined {
  const { state, reason, message = '' } = status ?? {};
  if (state === 'Succeed') return { isSuccess: true, message: 'every node succeeded' };
  if (state !== 'Failed') return undefined;
  return { isSuccess: false, message: message === '' ? (reason ?? 'it failed') : message };
}
