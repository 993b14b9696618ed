/** suspend-admission: what starts suspended, who may say otherwise, and which policies can be followed. */
import type { Admission } from '#shared/admission/admission.ts';
import type { Clock } from '#shared/domain/clock.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkMark } from './check-mark.ts';
import { checkPolicy } from './check-policy.ts';
import { checkQueue } from './check-queue.ts';
import { defaultKueueSettings, type KueueSettings } from './kueue-settings.ts';
import { Room } from './look-up/room.ts';
import type { Policies } from './policy-book.ts';
import { suspendOnCreation } from './suspend-on-creation.ts';

export interface SuspendAdmissionsOptions {
  readonly policies: Policies;
  readonly clock: Clock;
  /** Default: what Kueue does by default, with the kinds of Millrace registered. */
  readonly kueue?: KueueSettings;
}

export function suspendAdmissions({
  policies,
  clock,
  kueue = defaultKueueSettings,
}: SuspendAdmissionsOptions): readonly Admission[] {
  return [
    suspendOnCreation({ policies, kueue, clock, room: new Room(clock) }),
    checkQueue,
    checkMark,
    checkAnnotations,
    checkPolicy,
  ];
}
