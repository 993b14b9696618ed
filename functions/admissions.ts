/** Every process that answers reviews. Everything else that has to know it derives from its declaration. */
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { wrapperAdmission } from './appwrapper-admission/admissions.ts';
import { flowAdmission } from './flow-admission/admissions.ts';
import { suspendAdmission } from './suspend-admission/admissions.ts';

/** An admission that gives an object its queue has to come before the one that suspends it for that queue. */
export const admissionProcesses: readonly AdmissionProcess[] = [
  flowAdmission,
  wrapperAdmission,
  suspendAdmission,
];
