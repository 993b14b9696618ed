/** suspend-admission as its own process: `npx node functions/suspend-admission/main.ts`. See `--help`. */
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { suspendAdmission } from './admissions.ts';

await runAdmissions(suspendAdmission);
