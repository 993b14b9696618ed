import type { KubeObject } from '#shared/domain/objects.ts';
import { fieldsOf, hasCondition } from './governed-object.ts';

const finished: ReadonlySet<unknown> = new Set(['Finished']);

/** A Workload of which nothing is left to run. */
export function isFinished({ status }: KubeObject): boolean {
  return hasCondition(fieldsOf(status), finished);
}
