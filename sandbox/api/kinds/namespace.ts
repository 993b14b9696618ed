/** Namespace (pkg/registry/core/namespace/strategy.go). Its content is removed by a controller. */
import { labelFault } from '../../apimachinery/names.ts';
import { type Draft, withFieldOf, withMeta, withoutMeta } from '../draft.ts';
import { ownStatus, type Strategy } from '../strategy.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const finalizer = 'kubernetes';

export const namespace: Strategy = {
  ...ownStatus,
  nameRule: labelFault,
  garbage: 'background',
  defaults: withNameLabel,
  prepareCreate: (object) => ({
    ...object,
    spec: { ...(object.spec as object | undefined), finalizers: withFinalizer(object) },
    status: { phase: 'Active' },
  }),
  prepareUpdate: (object, old) => withFieldOf(withFieldOf(object, 'spec', old), 'status', old),
  markDeleted: (object) => ({
    ...withoutMeta(object, 'deletionGracePeriodSeconds'),
    status: { ...(object.status as object), phase: 'Terminating' },
  }),
};

function withNameLabel(object: Draft): Draft {
  const { name, labels } = object.metadata;
  if ((name as string | undefined) === undefined || labels?.[nameLabel] === name) return object;
  return withMeta(object, { labels: { ...labels, [nameLabel]: name } });
}

function withFinalizer({ spec }: Draft): readonly string[] {
  const { finalizers = [] } = (spec ?? {}) as { finalizers?: readonly string[] };
  return finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
}
