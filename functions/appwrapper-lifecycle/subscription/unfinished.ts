import type { AppWrapperStatus } from '#shared/api/app-wrapper.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

type Status = AppWrapperStatus | undefined;

/** Nothing of the wrapper exists, and nothing has to be done until a user changes it. */
export function isAtRest({ metadata, spec, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { phase, conditions } = (status as Status) ?? {};
  const isDeployed = conditions?.some(
    (each) => each.type === 'ResourcesDeployed' && each.status === 'True',
  );
  if (phase === 'Suspended') return (spec as { readonly suspend?: boolean }).suspend === true;
  if (phase === 'Succeeded' && goesAfterSuccess({ metadata })) return false;
  return (phase === 'Succeeded' || phase === 'Failed') && isDeployed !== true;
}

/** Its author wants it deleted when its resources are, some time after its success. */
export function goesAfterSuccess({
  metadata: { annotations: all = {} },
}: Pick<KubeObject, 'metadata'>): boolean {
  return all[annotations.deleteAfterSuccess] === 'true';
}

export function isUnfinished(object: KubeObject): boolean {
  return !isAtRest(object);
}
