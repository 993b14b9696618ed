/** Reads Kueue's reports on a Workload, and on its queue. */
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { counted } from '#shared/domain/wording.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { Cause, Named } from './explanation.ts';
import { conditionsOf, holds, type ReportedCondition, troublesIn } from './conditions.ts';
import { heldCauses } from './policy-causes.ts';
import { kubectl, listed, type Surroundings, switchWorkload } from './surroundings.ts';

/** The Workload by which Kueue admits this object, if there is one. */
export async function workloadOf(
  object: KubeObject,
  around: Pick<Surroundings, 'client'>,
): Promise<KubeObject | undefined> {
  const { namespace = '', uid } = object.metadata;
  const workloads = await listed(around, resources.Workload, namespace);
  return workloads.find(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid),
  );
}

export async function queuedCauses(
  object: KubeObject,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const workload = await workloadOf(object, around);
  return workload === undefined ? [] : workloadCauses(workload, around);
}

/** Empty: it is admitted, or has ended. */
export async function workloadCauses(
  workload: KubeObject,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const { namespace = '', name } = workload.metadata;
  const object: Named = { kind: 'Workload', namespace, name };
  const { active, queueName } = fieldsOf(workload.spec);
  const conditions = conditionsOf(workload);
  if (holds(conditions, 'Finished') || holds(conditions, 'Admitted')) return [];
  const queue = textOf(queueName);
  const next = kubectl(around, namespace, `describe workloads.kueue.x-k8s.io ${shellWord(name)}`);
  const own = { object, next, because: [] };
  const stopping = await queueCauses(queue, namespace, around);
  const reported = troublesIn(workload, waiting).toSorted(quotaFirst);
  const conditionCauses = reported.map(({ type, reason, message }, index) => ({
    ...own,
    because: index === 0 ? stopping : [],
    reason,
    message,
    source: `condition ${type}`,
  }));
  const checks = listOf(fieldsOf(workload.status)['admissionChecks'])
    .map(fieldsOf)
    .filter(({ state }) => state !== 'Ready')
    .map((check) => ({
      ...own,
      reason: `AdmissionCheck${textOf(check['state'])}`,
      message: `${textOf(check['name'])}: ${textOf(check['message'])}`,
      source: 'status.admissionChecks',
    }));
  return [
    ...(active === false
      ? [
          {
            ...{ ...own, reason: 'Inactive', message: 'spec.active is false' },
            ...{ source: 'spec.active', next: whenInactive(workload, next, around) },
          },
        ]
      : []),
    ...conditionCauses,
    ...checks,
    ...(await aheadOf(workload, object, queue, around)),
  ];
}

/** What Kueue or a policy has deactivated is not activated before its cause is known. */
function whenInactive(workload: KubeObject, next: string, around: Surroundings): string {
  const { metadata } = workload;
  const isHeld = metadata.annotations?.[annotations.held] !== undefined;
  const byKueue = troublesIn(workload, new Set(['Evicted=True'])).some(({ reason }) =>
    reason.startsWith('DeactivatedDueTo'),
  );
  return isHeld || byKueue ? next : switchWorkload(around, metadata, true);
}

const waiting: ReadonlySet<string> = new Set([
  'QuotaReserved=False',
  'Evicted=True',
  'Preempted=True',
  'DeactivationTarget=True',
]);

/** The queue explains why no quota is reserved now; an eviction is past. */
function quotaFirst(one: ReportedCondition, other: ReportedCondition): number {
  const rank = ({ type }: ReportedCondition) => (type === 'QuotaReserved' ? 0 : 1);
  return rank(one) - rank(other);
}

/** The conditions that prevent all admissions of the queue. */
export async function queueCauses(
  queue: string,
  namespace: string,
  around: Surroundings,
): Promise<readonly Cause[]> {
  if (queue === '') return [];
  const object: Named = { kind: 'LocalQueue', namespace, name: queue };
  const next = kubectl(around, namespace, 'get localqueues.kueue.x-k8s.io');
  const found = await around.client.get(resources.LocalQueue, { namespace, name: queue });
  if (found === undefined) {
    const message = `there is no LocalQueue ${queue}`;
    return [{ object, reason: 'NotFound', message, source: 'API server', next, because: [] }];
  }
  const policy = textOf(fieldsOf(found.spec)['stopPolicy']);
  const stopped = policy === 'Hold' || policy === 'HoldAndDrain';
  if (stopped) {
    const source = 'spec.stopPolicy';
    const message = `${source} is ${policy}`;
    const because = await heldCauses(found, object, around);
    return [{ object, reason: 'Stopped', message, source, next, because }];
  }
  return troublesIn(found, new Set(['Active=False'])).map(({ reason, message }) => ({
    object,
    reason,
    message,
    source: 'condition Active',
    next,
    because: [],
  }));
}

/** Counts the Workloads that wait in the same queue, and those that are ahead. No forecast. */
async function aheadOf(
  workload: KubeObject,
  object: Named,
  queue: string,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const { namespace = '' } = workload.metadata;
  const waitingNow = (await listed(around, resources.Workload, namespace)).filter((other) => {
    const conditions = conditionsOf(other);
    return (
      other.metadata.uid !== workload.metadata.uid &&
      textOf(fieldsOf(other.spec)['queueName']) === queue &&
      !holds(conditions, 'Finished') &&
      !holds(conditions, 'QuotaReserved')
    );
  });
  const higher = waitingNow.filter((other) => priorityOf(other) > priorityOf(workload)).length;
  const longer = waitingNow.filter((other) => isLonger(other, workload)).length;
  const ahead = higher + longer;
  if (ahead === 0) return [];
  const of = `${counted(ahead, 'other Workload')} of the queue ${queue}`;
  const ranks = [
    ...(higher === 0 ? [] : [`${higher} with a higher priority than ${priorityOf(workload)}`]),
    ...(longer === 0 ? [] : [`${longer} of the same priority, created earlier`]),
  ];
  const message = `${of} ${ahead === 1 ? 'comes' : 'come'} first: ${ranks.join('; ')}`;
  const next = kubectl(around, namespace, 'get workloads.kueue.x-k8s.io');
  return [
    { object, reason: 'InLine', message, source: 'Workloads of the queue', next, because: [] },
  ];
}

function isLonger(other: KubeObject, workload: KubeObject): boolean {
  const { creationTimestamp: created = '' } = workload.metadata;
  const isEqual = priorityOf(other) === priorityOf(workload);
  return isEqual && (other.metadata.creationTimestamp ?? '') < created;
}

function priorityOf({ spec }: KubeObject): number {
  const { priority } = fieldsOf(spec);
  return typeof priority === 'number' ? priority : 0;
}
