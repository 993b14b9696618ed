/** Custom resources (apiextensions-apiserver pkg/registry/customresource/strategy.go, status_strategy.go). */
import { omitting } from '../../apimachinery/json-value.ts';
import { withFieldOf, withMeta } from '../draft.ts';
import { ownStatus, type Strategy } from '../strategy.ts';

/** Without the status subresource, the status is a field like any other. */
export const custom: Strategy = {
  ...ownStatus,
  allowsUnconditionalUpdate: false,
  prepareUpdate: (object) => object,
};

export const customWithStatus: Strategy = {
  ...custom,
  prepareCreate: (object) => omitting(object, 'status'),
  prepareUpdate: (object, old) => withFieldOf(object, 'status', old),
  // Of the sent metadata only the field owners are used.
  prepareStatus: (object, old) => {
    const prepared = withFieldOf(old, 'status', object);
    const { managedFields = old.metadata.managedFields } = object.metadata;
    const isSame = managedFields === undefined || managedFields === old.metadata.managedFields;
    return isSame ? prepared : withMeta(prepared, { managedFields });
  },
};
