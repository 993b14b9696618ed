/** The name of a wrapped resource: known before it is created, so that a create that is repeated makes no second one. */
import type { WrappedResource } from '#shared/api/app-wrapper.ts';
import { textHash } from '#shared/domain/hash.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { Uid } from '#shared/domain/objects.ts';

/** Characters of the API server's own suffix of a generateName are five; these are the first of a hash. */
const suffixLength = 5;
/** The API server cuts a generateName likewise. */
const longestPrefix = 63 - suffixLength;

/** Empty where the template has neither name nor generateName. */
export function componentName(template: WrappedResource, wrapper: Uid, index: number): string {
  const { name, generateName } = fieldsOf(template['metadata']);
  if (typeof name === 'string' && name !== '') return name;
  if (typeof generateName !== 'string' || generateName === '') return '';
  const suffix = textHash(`${wrapper} ${index}`).slice(0, suffixLength);
  return `${generateName.slice(0, longestPrefix)}${suffix}`;
}
