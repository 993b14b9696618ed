/** appwrapper-admission as its own process: `npx node functions/appwrapper-admission/main.ts`. See `--help`. */
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { wrapperAdmission } from './admissions.ts';

await runAdmissions(wrapperAdmission);
