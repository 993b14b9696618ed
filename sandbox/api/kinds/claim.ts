/** PersistentVolumeClaim. No volume is ever bound to it. */
import { withMeta, type Draft } from '../draft.ts';
import { required } from '../../apimachinery/cause.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { ownStatus, type Strategy } from '../strategy.ts';

const protection = 'kubernetes.io/pvc-protection';

interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly volumeMode?: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, unknown>> };
}

export const claim: Strategy = {
  ...ownStatus,
  answersDeleted: true,
  defaults: (object) => {
    const spec = (object.spec ?? {}) as ClaimSpec;
    if (spec.volumeMode !== undefined) return object;
    return { ...object, spec: { ...spec, volumeMode: 'Filesystem' } };
  },
  prepareCreate: (object) => ({ ...protectedFromDeletion(object), status: { phase: 'Pending' } }),
  faults,
};

function protectedFromDeletion(object: Draft): Draft {
  const { finalizers = [] } = object.metadata;
  return withMeta(object, {
    finalizers: [...finalizers.filter((name) => name !== protection), protection],
  });
}

function faults({ spec }: Draft): readonly StatusCause[] {
  const { accessModes = [], resources } = (spec ?? {}) as ClaimSpec;
  const found: StatusCause[] = [];
  if (accessModes.length === 0)
    found.push(required('spec.accessModes', 'at least 1 access mode is required'));
  if (resources?.requests?.['storage'] === undefined)
    found.push(required('spec.resources[storage]'));
  return found;
}
