/** A manifest whose apiVersion or kind is nearly that of a kind of Millrace, and so would not be judged. */
import { didYouMean, type Fault, found } from '#shared/api/fault.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { apiVersionOf, type Json, type Resource } from '#shared/domain/objects.ts';

/** Undefined: it is meant to be of another kind, such as the JobFlow of Volcano. */
export function misnamed(manifest: Json, known: readonly Resource[]): Fault | undefined {
  const { apiVersion, kind } = fieldsOf(manifest);
  const [version, name] = [textOf(apiVersion), textOf(kind)];
  const [group = ''] = version.split('/');
  const meant = known.find((resource) => resource.kind === name);
  if (meant !== undefined) {
    const right = apiVersionOf(meant);
    const isNear = group === meant.group || didYouMean(version, [right]) !== undefined;
    if (version === '') return { path: 'apiVersion', message: `required: ${right}` };
    return isNear
      ? { path: 'apiVersion', message: `must be ${right} for a ${name}, found ${found(version)}` }
      : undefined;
  }
  const siblings = known.filter((resource) => resource.group === group).map((each) => each.kind);
  if (siblings.length === 0) return undefined;
  if (name === '') return { path: 'kind', message: `required: ${siblings.join(' or ')}` };
  const near = didYouMean(name, siblings);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return { path: 'kind', message: `${found(name)} is no kind of ${group}${hint}` };
}
