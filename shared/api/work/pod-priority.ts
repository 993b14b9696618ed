import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/** The PriorityClass in `spec.template`. Undefined: none. */
export function priorityClassOfTemplate({ spec }: KubeObject): string | undefined {
  const name = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec'])['priorityClassName'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
