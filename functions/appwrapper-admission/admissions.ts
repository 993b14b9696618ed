/** appwrapper-admission: records submitter and queue of an AppWrapper, and checks whether it may and can be run. */
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
      // In a process with other functions it acts as the user of that process.
      ...(ownNamespace === undefined ? {} : { creator: creatorIn(ownNamespace) }),
    },
  }),
};
