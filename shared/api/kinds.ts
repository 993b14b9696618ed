import { jobFlowKind } from './job-flow.ts';
import { jobTemplateKind } from './job-template.ts';
import type { KindDefinition } from './kind-definition.ts';

/** Every kind that Millrace brings. */
export const kinds: readonly KindDefinition[] = [jobFlowKind, jobTemplateKind];
