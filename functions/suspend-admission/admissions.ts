/** suspend-admission: which objects start suspended, who may change that, and which policies can be followed. */
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { suspendAdmissionAccess } from './access.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkMark } from './check-mark.ts';
import { checkPolicy } from './check-policy.ts';
import { checkQueue } from './check-queue.ts';
import { suspendAdmissionConfiguration } from './configuration.ts';
import { defaultKueueSettings, kueueSettingsOf } from '#shared/kueue/kueue-settings.ts';
import type { Known } from './look-up.ts';
import { Room } from './look-up/room.ts';
import { PolicyBook } from './policy-book.ts';
import { suspendOnCreation } from './suspend-on-creation.ts';

export const suspendAdmission: AdmissionProcess<typeof suspendAdmissionConfiguration> = {
  name: 'suspend-admission',
  admissions: [suspendOnCreation, checkQueue, checkMark, checkAnnotations, checkPolicy],
  access: suspendAdmissionAccess,
  schema: suspendAdmissionConfiguration,
  services: ({ settings, clock }) => {
    const policies = new PolicyBook();
    // The default is Kueue's own default, with Millrace's kinds registered.
    const kueue = settings === undefined ? defaultKueueSettings : kueueSettingsOf(settings);
    const known: Known = { policies, room: new Room(clock), clock, kueue };
    return {
      known,
      follow: ({ logger, ...parts }, signal) =>
        policies.follow(
          {
            ...{ ...parts, clock, random: Math.random },
            onFailure: (err) => logger.warn({ err }, 'the policies could not be followed just now'),
          },
          signal,
        ),
    };
  },
};
