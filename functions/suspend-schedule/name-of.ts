import type { SelectedObject } from './snapshot.ts';

/** Its name in lists of the status: `Job/team-a/etl`. */
export function nameOf({
  kind,
  namespace,
  name,
}: Pick<SelectedObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}
