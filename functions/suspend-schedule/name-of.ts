import type { SelectedObject } from './snapshot.ts';

/** As lists of the status name it: `Job/team-a/etl`. */
export function nameOf({
  kind,
  namespace,
  name,
}: Pick<SelectedObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}
