/** appwrapper-admission: whose an AppWrapper is, in which queue it waits, and whether it may be and can be run. */
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { wrapperAdmissionAccess } from './access.ts';
import { checkWrapper } from './check-wrapper.ts';
import { completeWrapper } from './complete-wrapper.ts';
import { wrapperAdmissionConfiguration } from './configuration.ts';
import { creatorIn } from './facts.ts';
import { defaultWrapperSettings, wrapperSettingsOf } from './wrapper-settings.ts';

export const wrapperAdmission: AdmissionProcess<typeof wrapperAdmissionConfiguration> = {
  name: 'appwrapper-admission',
  admissions: [completeWrapper, checkWrapper],
  access: wrapperAdmissionAccess,
  schema: wrapperAdmissionConfiguration,
  services: ({ settings, ownNamespace, policy }) => ({
    known: {
      wrappers: settings === undefined ? defaultWrapperSettings : wrapperSettingsOf(settings),
      policy,
      // Hosted with others it acts as the user who runs them.
      ...(ownNamespace === undefined ? {} : { creator: creatorIn(ownNamespace) }),
    },
  }),
};
