/** Why a Job does not continue or has failed: its conditions, its holders, its Pods and its Events. */
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { podTrouble } from '#shared/domain/pod-trouble.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { conditionsOf } from './conditions.ts';
import { latestEvent } from './events.ts';
import type { Cause, Named } from './explanation.ts';
import { heldCauses } from './policy-causes.ts';
import { describe, kubectl, listed, type Surroundings, typeOf } from './surroundings.ts';
import { queueCauses, workloadCauses, workloadOf } from './workload-causes.ts';

export function jobNamed({ metadata }: KubeObject): Named {
  return { kind: 'Job', namespace: metadata.namespace ?? '', name: metadata.name };
}

/** Empty: it runs, or has succeeded. */
export async function jobCauses(job: KubeObject, around: Surroundings): Promise<readonly Cause[]> {
  const object = jobNamed(job);
  const ended = conditionsOf(job).filter(({ status }) => status === 'True');
  if (ended.some(({ type }) => type === 'Complete')) return [];
  const failed = ended.find(({ type }) => type === 'Failed');
  if (failed !== undefined) {
    const { reason, message } = failed;
    const next = describe(around, object);
    return [{ object, reason, message, source: 'condition Failed', next, because: [] }];
  }
  if (job.metadata.deletionTimestamp !== undefined) return [deletedCause(job, object, around)];
  if (fieldsOf(job.spec)['suspend'] === true) return suspendedCauses(job, object, around);
  const pods = await podCauses(job, around);
  if (pods.length > 0) return pods;
  return [...(await eventCauses(job, object, around)), ...unstartedCauses(job, object, around)];
}

export function deletedCause({ metadata }: KubeObject, object: Named, around: Surroundings): Cause {
  const { finalizers = [] } = metadata;
  return {
    object,
    reason: 'Terminating',
    message: `it is being deleted${finalizers.length === 0 ? '' : `; finalizers: ${finalizers.join(', ')}`}`,
    source: 'metadata.deletionTimestamp',
    next: describe(around, object),
    because: [],
  };
}

async function suspendedCauses(
  job: KubeObject,
  object: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const held = await heldCauses(job, object, around);
  if (held.length > 0) return held;
  const queue = job.metadata.labels?.[queueLabel];
  const workload = await workloadOf(job, around);
  if (queue !== undefined || workload !== undefined) {
    const because =
      workload === undefined
        ? await queueCauses(queue ?? '', object.namespace, around)
        : await workloadCauses(workload, around);
    const message = `it waits in ${queue === undefined ? 'a queue' : `the queue ${queue}`} of Kueue${workload === undefined ? ', which has made no Workload for it' : ''}`;
    return [{ ...suspended(object, around), reason: 'Queued', message, because }];
  }
  const by = job.metadata.annotations?.[annotations.suspendedBy];
  const owner = controllerOf(job.metadata);
  if (by !== undefined && owner !== undefined) {
    return [
      { ...suspended(object, around), message: `its ${owner.kind} ${owner.name} has suspended it` },
    ];
  }
  const patch = `patch ${typeOf(object.kind)} ${shellWord(object.name)} --type merge -p '{"spec":{"suspend":false}}'`;
  return [{ ...suspended(object, around), next: kubectl(around, object.namespace, patch) }];
}

function suspended(object: Named, around: Surroundings): Cause {
  return {
    object,
    reason: 'Suspended',
    message: 'spec.suspend is true, and no policy, queue or owner is known to have set it',
    source: 'spec.suspend',
    next: describe(around, object),
    because: [],
  };
}

async function podCauses(job: KubeObject, around: Surroundings): Promise<readonly Cause[]> {
  const { namespace = '', name, uid } = job.metadata;
  const pods = await listed(around, resources.Pod, namespace, {
    labelSelector: `batch.kubernetes.io/controller-uid=${uid}`,
  });
  return pods.flatMap((pod) => podCause(pod, `status of the Pod of Job ${name}`, around));
}

/** Empty: nothing holds the Pod back. */
export function podCause(pod: KubeObject, source: string, around: Surroundings): readonly Cause[] {
  const trouble = podTrouble(pod);
  if (trouble === undefined) return [];
  const { namespace = '', name } = pod.metadata;
  const object: Named = { kind: 'Pod', namespace, name };
  const { reason, message } = trouble;
  return [{ object, reason, message, source, next: describe(around, object), because: [] }];
}

/** The latest refusal, unless a Pod was created after it. */
async function eventCauses(
  job: KubeObject,
  object: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const latest = await latestEvent(job, ['FailedCreate', 'SuccessfulCreate'], around);
  if (latest?.['reason'] !== 'FailedCreate') return [];
  return [
    {
      object,
      reason: 'FailedCreate',
      message: textOf(latest['message']),
      source: 'Event FailedCreate',
      next: describe(around, object),
      because: [],
    },
  ];
}

function unstartedCauses(job: KubeObject, object: Named, around: Surroundings): readonly Cause[] {
  const { managedBy, parallelism } = fieldsOf(job.spec);
  const { startTime } = fieldsOf(job.status);
  const next = describe(around, object);
  if (parallelism === 0) {
    const message = 'spec.parallelism is 0, so it runs no Pod';
    return [{ object, reason: 'NoPod', message, source: 'spec.parallelism', next, because: [] }];
  }
  if (startTime !== undefined) return [];
  const who = textOf(managedBy);
  const message = `${who === '' ? 'the Job controller' : `${who} (spec.managedBy)`} has not started it yet`;
  return [
    { object, reason: 'JobNotStarted', message, source: 'status.startTime', next, because: [] },
  ];
}
