/** appwrapper-admission alone: `npx node functions/appwrapper-admission/main.ts`, `--help` lists its settings. */
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { wrapperAdmission } from './admissions.ts';

await runAdmissions(wrapperAdmission);
