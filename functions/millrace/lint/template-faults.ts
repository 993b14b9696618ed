/**
 * Faults inside templates, which Millrace's kinds contain as a whole. The API server checks them only when it
 * creates the Jobs, and drops unknown fields. They are checked by the schemas that a real API server publishes.
 */
import { builtinSchema } from '#sandbox/schemas';
import { didYouMean, type Fault, found, memberPath } from '#shared/api/fault.ts';
import { fieldsOf, isList, isObject, listOf, textOf } from '#shared/domain/json-value.ts';
import { groupVersionOf, type Json, type JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

type Schema = NonNullable<ReturnType<typeof builtinSchema>>;

/** Checks every template in the object. */
export function templateFaults(manifest: JsonObject): readonly Fault[] {
  const { flows, jobTemplate, template, components } = fieldsOf(manifest['spec']);
  return [
    ...listOf(flows).flatMap((step, index) =>
      jobFaults(fieldsOf(step)['jobTemplate'], `spec.flows[${index}].jobTemplate`),
    ),
    ...jobFaults(jobTemplate, 'spec.jobTemplate'),
    ...(template === undefined ? [] : jobFaults({ template }, 'spec')),
    ...listOf(components).flatMap((component, index) =>
      objectFaults(fieldsOf(component)['template'], `spec.components[${index}].template`),
    ),
  ];
}

/** `job`: a batch/v1 JobSpec. */
function jobFaults(job: Json | undefined, path: string): readonly Fault[] {
  const schema = builtinSchema('batch', 'v1', 'Job')?.properties?.['spec'];
  if (job === undefined || schema === undefined) return [];
  return [...schemaFaults(schema, job, path), ...imageFaults(job, path)];
}

/** Checks an object of a built-in kind, such as a component of an AppWrapper. */
function objectFaults(object: Json | undefined, path: string): readonly Fault[] {
  const { apiVersion, kind, spec } = fieldsOf(object);
  const { group, version } = groupVersionOf(textOf(apiVersion));
  const schema = builtinSchema(group, version, textOf(kind))?.properties?.['spec'];
  if (schema === undefined || spec === undefined) return [];
  const at = `${path}.spec`;
  const pod = kind === 'Pod' ? { template: { spec } } : spec;
  return [
    ...schemaFaults(schema, spec, at),
    ...imageFaults(pod, at).map((fault) =>
      kind === 'Pod' ? { ...fault, path: fault.path.replace(`${at}.template.spec`, at) } : fault,
    ),
  ];
}

/** The API server requires an image, but the published schema does not. */
function imageFaults(job: Json, path: string): readonly Fault[] {
  const pod = fieldsOf(fieldsOf(fieldsOf(job)['template'])['spec']);
  return ['initContainers', 'containers'].flatMap((list) =>
    listOf(pod[list]).flatMap((container, index) => {
      const { image = '' } = fieldsOf(container);
      if (!isObject(container) || (image !== '' && image !== null)) return [];
      return [{ path: `${path}.template.spec.${list}[${index}].image`, message: 'required' }];
    }),
  );
}

function schemaFaults(schema: Schema, value: Json, path: string): readonly Fault[] {
  // The API server treats null as an absent field.
  if (value === null) return [];
  const mismatch = mismatchOf(schema, value);
  if (mismatch !== undefined) return [{ path, message: `${mismatch}, found ${found(value)}` }];
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => schemaFaults(items, item, memberPath(path, index)));
  }
  return isObject(value) ? memberFaults(schema, value, path) : [];
}

function memberFaults(schema: Schema, value: JsonObject, path: string): readonly Fault[] {
  const { properties, additionalProperties, required = [] } = schema;
  const missing = required
    .filter((name) => (ownMember(value, name) ?? null) === null)
    .map((name) => ({ path: memberPath(path, name), message: 'required' }));
  const present = Object.entries(value).flatMap(([name, member]) => {
    const at = memberPath(path, name);
    const declared = ownMember(properties ?? {}, name);
    if (declared !== undefined) return schemaFaults(declared, member ?? null, at);
    if (isObject(additionalProperties))
      return schemaFaults(additionalProperties, member ?? null, at);
    return properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true
      ? []
      : [unknownField(name, Object.keys(properties), at)];
  });
  return [...missing, ...present];
}

function unknownField(name: string, known: readonly string[], path: string): Fault {
  const near = didYouMean(name, known);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return { path, message: `unknown field, which the API server drops${hint}` };
}

/** For example `must be string`. Undefined: the value has the declared type. */
function mismatchOf(schema: Schema, value: Json): string | undefined {
  const { type, enum: words } = schema;
  if (type === undefined) return undefined;
  if (type !== typeOf(value) && !(type === 'number' && typeof value === 'number'))
    return `must be ${type}`;
  if (words !== undefined && !words.some((word) => word === value))
    return `must be one of ${words.map(String).join(', ')}`;
  return undefined;
}

function typeOf(value: Json): string {
  if (isList(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
