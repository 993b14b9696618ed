import type { Admission } from '#shared/admission/admission.ts';
import { withServices } from '#shared/admission/with-services.ts';
import { suspendAdmission } from '../admissions.ts';
import { defaultKueueSettings } from '#shared/kueue/kueue-settings.ts';
import type { Known } from '../look-up.ts';
import { Room } from '../look-up/room.ts';

/** By default with Kueue's default settings and enough capacity. */
export function suspendAdmissions({
  policies,
  clock,
  kueue = defaultKueueSettings,
}: Pick<Known, 'policies' | 'clock'> & Partial<Known>): readonly Admission[] {
  const known: Known = { policies, clock, kueue, room: new Room(clock) };
  return withServices(suspendAdmission.admissions, known);
}
