/** flow-admission: records who submits objects that run Jobs, and checks whether they may and can be run. */
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { flowAdmissionAccess } from './access.ts';
import { checkSubmission } from './check-submission.ts';
import { flowAdmissionConfiguration } from './configuration.ts';
import { recordSubmitter } from './record-submitter.ts';

export const flowAdmission: AdmissionProcess<typeof flowAdmissionConfiguration> = {
  name: 'flow-admission',
  admissions: [recordSubmitter, checkSubmission],
  access: flowAdmissionAccess,
  schema: flowAdmissionConfiguration,
  services: ({ policy }) => ({ known: { policy } }),
};
