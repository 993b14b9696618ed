/** The name of a wrapped resource. It is known before the create, so a repeated create makes no second one. */
import type { WrappedResource } from '#shared/api/app-wrapper.ts';
import { textHash } from '#shared/domain/hash.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { Uid } from '#shared/domain/objects.ts';

/**
 * Five characters, as the API server's own suffix has, would collide among a thousand names with one prefix. The API
 * server then draws again, but a recorded name has to stay.
 */
const suffixLength = 10;
/** The API server cuts a generateName in the same way, to a DNS label. */
const longestPrefix = 63 - suffixLength;

/** Empty: the template has neither name nor generateName. */
export function componentName(template: WrappedResource, wrapper: Uid, index: number): string {
  const { name, generateName } = fieldsOf(template['metadata']);
  if (typeof name === 'string' && name !== '') return name;
  if (typeof generateName !== 'string' || generateName === '') return '';
  const suffix = textHash(`${wrapper} ${index}`).slice(0, suffixLength);
  return `${generateName.slice(0, longestPrefix)}${suffix}`;
}
