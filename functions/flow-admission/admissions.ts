/** flow-admission: who submits what runs Jobs, and whether it may and can be run. */
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { policyOf } from '#shared/runtime/process/policy-setting.ts';
import { flowAdmissionAccess } from './access.ts';
import { checkSubmission } from './check-submission.ts';
import { flowAdmissionConfiguration } from './configuration.ts';
import { recordSubmitter } from './record-submitter.ts';

export const flowAdmission: AdmissionProcess<typeof flowAdmissionConfiguration> = {
  name: 'flow-admission',
  admissions: [recordSubmitter, checkSubmission],
  access: flowAdmissionAccess,
  schema: flowAdmissionConfiguration,
  services: ({
    settings,
    policy = settings === undefined ? defaultPolicy : policyOf(settings),
  }) => ({
    known: { policy },
  }),
};
