/** flow-admission as its own process: `npx node functions/flow-admission/main.ts`. `--help` lists its settings. */
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { flowAdmission } from './admissions.ts';

await runAdmissions(flowAdmission);
