/** Custom resources (apiextensions-apiserver pkg/registry/customresource/strategy.go, status_strategy.go). */
import { omitting } from '../../apimachinery/json-value.ts';
import { withFieldOf } from '../draft.ts';
import { ownStatus, type Strategy } from '../strategy.ts';

/** Without the status subresource: the status is a field as any other. */
export const custom: Strategy = {
  ...ownStatus,
  allowsUnconditionalUpdate: false,
  prepareUpdate: (object) => object,
};

export const customWithStatus: Strategy = {
  ...custom,
  prepareCreate: (object) => omitting(object, 'status'),
  prepareUpdate: (object, old) => withFieldOf(object, 'status', old),
  // Of metadata nothing but the owners of fields is taken, which are tracked after this.
  prepareStatus: (object, old) => withFieldOf(old, 'status', object),
};
