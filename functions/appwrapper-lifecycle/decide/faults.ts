/** After a fault, the AppWrapper is tried again or fails. */
import type { Decision } from '#shared/domain/decision.ts';
import type { ObservedPod } from '../snapshot.ts';
import { event, found, moved, noLonger, type Change } from './outcome.ts';
import { deletionBegins } from './removal.ts';
import { conditionOf, type Situation } from './situation.ts';

/** Reasons of the original controller. */
export type FaultReason =
  | 'CreateFailed'
  | 'MissingComponent'
  | 'FailedComponent'
  | 'FoundFailedPods'
  | 'AutopilotNoExecute'
  | 'InsufficientPodsReady'
  | 'UnreadableComponent';

export interface Fault {
  readonly reason: FaultReason;
  readonly message: string;
  /** The node causes the fault: the reset is not counted, but needs a reset to be left. */
  readonly isOfNode?: true;
  /** Why another try cannot help. Absent: it may. */
  readonly whyTerminal?: string | undefined;
  /** Other changes of the status. */
  readonly change?: Pick<Change, 'components'>;
}

export function resetOrFail(situation: Situation, fault: Fault): Decision {
  const { status, settings } = situation;
  const resettingCount = status.resettingCount ?? 0;
  const { reason, message, change } = fault;
  const { whyTerminal = whyUsedUp(resettingCount, settings.retryLimit) } = fault;
  if (whyTerminal !== undefined) {
    return fail(situation, { ...fault, message: `${message}; not tried again: ${whyTerminal}` });
  }
  const next = {
    ...change,
    phase: 'Resetting',
    resettingCount: fault.isOfNode ? resettingCount : resettingCount + 1,
    news: [
      found('Unhealthy', true, reason, message),
      noLonger('PodsReady', 'Resetting', message),
      deletionBegins,
    ],
  } as const;
  return moved(situation, reason, message, next, { events: [eventOf(situation, fault)] });
}

/** Undefined: a retry is left. */
function whyUsedUp(resettingCount: number, retryLimit: number): string | undefined {
  if (resettingCount < retryLimit) return undefined;
  return `no retry is left (resettingCount ${resettingCount}, retryLimit ${retryLimit})`;
}

export function fail(situation: Situation, fault: Fault): Decision {
  const { reason, message, change } = fault;
  const news = [
    found('Unhealthy', true, reason, message),
    found('Finished', true, 'Failed', message),
  ];
  return moved(
    situation,
    reason,
    message,
    { ...change, phase: 'Failed', news },
    { events: [eventOf(situation, fault)] },
  );
}

export function eventOf(
  situation: Situation,
  { reason, message }: Pick<Fault, 'reason' | 'message'>,
) {
  // The counter alone is not unique, since some resets are not counted.
  const triedSince = conditionOf(situation, 'ResourcesDeployed')?.lastTransitionTime ?? '';
  const occurrence = `${situation.status.resettingCount ?? 0}.${triedSince}.${reason}`;
  return event(situation, 'Warning', 'Unhealthy', `${reason}: ${message}`, occurrence);
}

/** Why the exit code of a failed Pod excludes another try. Undefined: none does. */
export function terminalExitOf(
  { settings: { terminalExitCodes, retryableExitCodes } }: Situation,
  pods: readonly ObservedPod[],
): string | undefined {
  for (const { name, exitCodes } of pods.filter(({ phase }) => phase === 'Failed')) {
    for (const code of exitCodes) {
      const words = `exit code ${code} of Pod ${name}`;
      if (terminalExitCodes.includes(code)) return `${words} is in terminalExitCodes`;
      if (retryableExitCodes.length > 0 && !retryableExitCodes.includes(code)) {
        return `${words} is not in retryableExitCodes`;
      }
    }
  }
  return undefined;
}
