/** Every process that answers reviews, by its folder; all else that has to know of it derives from what it declares. */
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { wrapperAdmission } from './appwrapper-admission/admissions.ts';
import { flowAdmission } from './flow-admission/admissions.ts';
import { suspendAdmission } from './suspend-admission/admissions.ts';

/** What gives an object its queue comes before what suspends it for that queue. */
export const admissionProcesses: readonly AdmissionProcess[] = [
  flowAdmission,
  wrapperAdmission,
  suspendAdmission,
];
