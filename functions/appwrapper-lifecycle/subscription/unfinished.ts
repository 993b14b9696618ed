import type { AppWrapperStatus } from '#shared/api/app-wrapper.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

type Status = AppWrapperStatus | undefined;

/** Nothing of it exists, and nothing is to be done until somebody changes it. */
export function isAtRest({ metadata, spec, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { phase, conditions } = (status as Status) ?? {};
  const isDeployed = conditions?.some(
    (each) => each.type === 'ResourcesDeployed' && each.status === 'True',
  );
  if (phase === 'Suspended') return (spec as { readonly suspend?: boolean }).suspend === true;
  return (phase === 'Succeeded' || phase === 'Failed') && isDeployed !== true;
}

export function isUnfinished(object: KubeObject): boolean {
  return !isAtRest(object);
}
