/** Why a job that is queued does not run, in Kueue's words: who is before it, and what is missing. */
import { conditionOf, holds, type Workload } from '../workload.ts';

/** Undefined: Kueue has not said anything yet. */
export function whyItWaits(workload: Workload): string | undefined {
  if (workload.spec.active === false) {
    return 'its Workload is not active (spec.active is false)';
  }
  if (holds(workload, 'QuotaReserved')) return whichChecks(workload);
  const requeued = conditionOf(workload, 'Requeued');
  const { requeueAt } = workload.status?.requeueState ?? {};
  if (requeued?.status === 'False') {
    const until = requeueAt === undefined ? '' : ` until ${requeueAt}`;
    return `evicted (${requeued.reason})${until}: ${requeued.message}`;
  }
  const message = conditionOf(workload, 'QuotaReserved')?.message ?? '';
  return message === '' ? undefined : message;
}

function whichChecks({ status }: Workload): string {
  const pending = (status?.admissionChecks ?? []).filter(({ state }) => state !== 'Ready');
  const words = pending.map(({ name, state, message = '' }) => {
    const more = message === '' ? '' : `: ${message}`;
    return `${name} (${state})${more}`;
  });
  return words.length === 0
    ? 'its quota is reserved'
    : `its quota is reserved; it waits for the admission checks ${words.join(', ')}`;
}
