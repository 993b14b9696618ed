import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/** The PriorityClass of the Pods that `spec.template` makes; undefined: it names none. */
export function priorityClassOfTemplate({ spec }: KubeObject): string | undefined {
  const name = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec'])['priorityClassName'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
