/** flow-admission alone: `npx node functions/flow-admission/main.ts`, `--help` lists its settings. */
import { policyOf } from '#shared/runtime/process/policy-setting.ts';
import { runAdmissions } from '#shared/runtime/admission/run-admissions.ts';
import { flowAdmissions } from './admissions.ts';
import { flowAdmissionConfiguration } from './configuration.ts';

await runAdmissions({
  name: 'flow-admission',
  schema: flowAdmissionConfiguration,
  admissionsOf: (settings) => flowAdmissions(policyOf(settings)),
});
