/** Our own verdict on a manifest: the same as the API server's, before and without one. */
import type { Json, KubeObject, NewObject } from '#shared/domain/objects.ts';
import { verdictOf, type Fault, type Verdict } from './fault.ts';
import { jobFlowKind, type JobFlow, type JobFlowSpec } from './job-flow.ts';
import { graphFaults, podTemplateFaults, ruleFaults } from './job-flow-rules.ts';
import { jobTemplateKind, type JobTemplateObject, type JobTemplateSpec } from './job-template.ts';
import { objectSchema } from './object-schema.ts';
import { schemaCheck, type SchemaCheck } from './schema-faults.ts';

export { type Fault, type Verdict } from './fault.ts';

/** A manifest as a person writes it: without what the API server assigns. */
export type JobFlowManifest = NewObject & { readonly spec: JobFlowSpec };
export type JobTemplateManifest = NewObject & { readonly spec: JobTemplateSpec };

const strictJobFlow = schemaCheck(objectSchema(jobFlowKind), 'refused');
const storedJobFlow = schemaCheck(objectSchema(jobFlowKind), 'ignored');
const strictJobTemplate = schemaCheck(objectSchema(jobTemplateKind), 'refused');
const storedJobTemplate = schemaCheck(objectSchema(jobTemplateKind), 'ignored');

/**
 * Every fault that the API server finds at `kubectl apply`, and those that need more than it can
 * say (`graphFaults`). Nothing is filled in: defaults are the API server's.
 */
export function validateJobFlow(input: unknown): Verdict<JobFlowManifest> {
  return judge(strictJobFlow, input, (flow: JobFlowManifest) => [
    ...ruleFaults(nameOf(flow), flow.spec),
    ...graphFaults(flow.spec),
  ]);
}

/** What the CRD alone says: `validateJobFlow` without the rules that CEL cannot express. */
export function validateJobFlowAsCrd(input: unknown): Verdict<JobFlowManifest> {
  return judge(strictJobFlow, input, (flow: JobFlowManifest) =>
    ruleFaults(nameOf(flow), flow.spec),
  );
}

export function validateJobTemplate(input: unknown): Verdict<JobTemplateManifest> {
  return judge(strictJobTemplate, input, ({ spec }: JobTemplateManifest) =>
    podTemplateFaults(spec.jobTemplate, 'spec.jobTemplate'),
  );
}

/**
 * The shape only, of an object that the API server returned; a field that this version does not know
 * is left alone. Faults mean that the CRD in the cluster is another one.
 */
export function readJobFlow(object: KubeObject): Verdict<JobFlow> {
  return verdictOf(object as JobFlow, storedJobFlow.faults(object as unknown as Json));
}

/** As `readJobFlow`. */
export function readJobTemplate(object: KubeObject): Verdict<JobTemplateObject> {
  return verdictOf(
    object as JobTemplateObject,
    storedJobTemplate.faults(object as unknown as Json),
  );
}

/** Rules are asked only about an object of the right shape, as the API server does. */
function judge<Value extends NewObject>(
  check: SchemaCheck,
  input: unknown,
  rules: (value: Value) => readonly Fault[],
): Verdict<Value> {
  const normalized = check.normalize(input as Json);
  const faults = check.faults(normalized);
  const value = normalized as unknown as Value;
  return verdictOf(value, faults.length > 0 ? faults : [...nameFaults(value), ...rules(value)]);
}

function nameFaults(value: NewObject): readonly Fault[] {
  return nameOf(value) === '' ? [{ path: 'metadata.name', message: 'required' }] : [];
}

/** A generated name keeps 58 characters of its beginning and gets five letters (apiserver, names). */
function nameOf({ metadata }: NewObject): string {
  const { name, generateName } = metadata as { name?: string; generateName?: string };
  if (name !== undefined && name !== '') return name;
  return generateName === undefined ? '' : `${generateName.slice(0, 58)}xxxxx`;
}
