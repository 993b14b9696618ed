/** The entrance for suites that test an inner layer or need the sandbox's fixtures. */
export { servedPath, refusalOf, withOurKinds } from '../api/testing/our-kinds.ts';
export { startWebhook, type WebhookUnderTest } from '../api/testing/webhook-under-test.ts';
export type { Job } from '../controllers/objects/job.ts';
export type { Pod } from '../controllers/objects/pod.ts';
export { ControllerWorld } from '../controllers/testing/controller-world.ts';
export { type Served, served } from '../http/testing/served.ts';
export { type CompiledSchema, compileSchema } from '../schema/compiled-schema.ts';
export type { Schema } from '../schema/schema.ts';
export { costLimits, costSchema, costSubject } from '../schema/testing/cost-specimen.ts';
export {
  expressions,
  expressionSchema,
  expressionSubject,
} from '../schema/testing/expression-specimen.ts';
export { keywordCases, keywordSchema } from '../schema/testing/keyword-specimen.ts';
export { looseSchema, ratchetCases, strictSchema } from '../schema/testing/ratchet-specimen.ts';
export { answerOf, causeTexts, type SpecimenAnswer } from '../schema/testing/specimen-answer.ts';
