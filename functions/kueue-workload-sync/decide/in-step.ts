/** Keeps parts of a Workload in step with its job: priority class and admission gates (section 3.3 of step 7). */
import type { Decision } from '#shared/domain/decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Stage } from '#shared/domain/plan.ts';
import { gatesAnnotation } from '#shared/domain/queue-labels.ts';
import { isOfAnotherClass } from '../priority-class.ts';
import type { Priority } from '../snapshot.ts';
import { holds, type Workload } from '../workload.ts';
import { priorityIn } from './new-workload.ts';
import { event, nameOf, patchWorkload } from './operations.ts';
import { written } from './outcome.ts';
import type { Situation } from './situation.ts';

interface News {
  readonly patch: JsonObject;
  readonly message: string;
}

/** Undefined: the Workload matches the job. */
export function inStep(situation: Situation, workload: Workload): Decision | undefined {
  const { deletionTimestamp, uid, generation = 0, resourceVersion } = workload.metadata;
  if (holds(workload, 'Finished') || deletionTimestamp !== undefined) return undefined;
  const news = [priorityNews(situation, workload), gateNews(situation, workload)].filter(
    (each) => each !== undefined,
  );
  if (news.length === 0) return undefined;
  const patch = Object.assign({}, ...news.map((each) => each.patch)) as JsonObject;
  const messages = news.map(({ message }) => message);
  const events: Stage = messages.map((message, index) =>
    event(situation, 'UpdatedWorkload', message, {
      occurrence: `${uid} ${generation} ${resourceVersion} ${index}`,
    }),
  );
  return written('UpdatedWorkload', messages.join('; '), [
    [patchWorkload(workload, patch)],
    events,
  ]);
}

/** A missing class, and the Event that reports it. */
export function missingClass(
  situation: Situation,
  { className }: Extract<Priority, { readonly kind: 'missing' }>,
) {
  const message = `there is no WorkloadPriorityClass "${className}"`;
  const occurrence = `${situation.job.metadata.generation ?? 0} ${className}`;
  const reason = 'WorkloadPriorityClassNotFound';
  return { message, warning: event(situation, reason, message, { occurrence, type: 'Warning' }) };
}

/** If the class is missing, the Workload keeps what it has, and an Event says why. */
export function unfollowedClass(situation: Situation, workload: Workload): readonly Stage[] {
  const { job, snapshot } = situation;
  const { priority } = snapshot;
  if (priority?.kind !== 'missing' || !isOfAnotherClass(workload, job)) return [];
  return [[missingClass(situation, priority).warning]];
}

function priorityNews({ job, snapshot }: Situation, workload: Workload): News | undefined {
  const { priority } = snapshot;
  if (!isOfAnotherClass(workload, job) || priority?.kind !== 'known') return undefined;
  return {
    patch: { spec: { priorityClassRef: null, ...priorityIn(priority) } },
    message: `Updated workload priority class: ${nameOf(workload)}`,
  };
}

function gateNews({ job }: Situation, { metadata }: Workload): News | undefined {
  const [wanted, known] = [job.metadata, metadata].map(
    ({ annotations = {} }) => annotations[gatesAnnotation] ?? '',
  );
  if (wanted === known) return undefined;
  return {
    patch: {
      metadata: { annotations: { [gatesAnnotation]: wanted === '' ? null : (wanted ?? null) } },
    },
    message: `Updated workload AdmissionGatedBy to "${wanted ?? ''}"`,
  };
}
