/** Why a queued job does not run, in Kueue's words: which jobs are ahead of it, and what is missing. */
import { parseTime } from '#shared/domain/time.ts';
import { conditionOf, holds, type Workload } from '../workload.ts';

/** Undefined: Kueue has not reported anything yet. */
export function whyItWaits(workload: Workload): string | undefined {
  if (workload.spec.active === false) {
    return `its Workload is not active (spec.active is false)${whyKueueStoppedIt(workload)}`;
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

/** If a user deactivated the Workload, Kueue gives no reason. */
function whyKueueStoppedIt(workload: Workload): string {
  const { reason = '', message = '' } = conditionOf(workload, 'Evicted') ?? {};
  return reason.startsWith('DeactivatedDueTo') ? `: ${message}` : '';
}

/** Kueue may be silent about a Workload behind an equal one. A sweep notices it this long after its creation, ms. */
const silentAfterMs = 10_000;

/** Undefined: the Workload has just been created. */
export function whySilent({ metadata }: Workload, nowMs: number): string | undefined {
  const sinceMs = parseTime(metadata.creationTimestamp) ?? nowMs;
  if (nowMs - sinceMs < silentAfterMs) return undefined;
  return 'Kueue has not reported on it yet: it waits behind others with the same request, or Kueue is not running';
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
