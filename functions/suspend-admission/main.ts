/** suspend-admission alone: `npx node functions/suspend-admission/main.ts`, `--help` lists its settings. */
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { suspendAdmission } from './admissions.ts';

await runAdmissions(suspendAdmission);
