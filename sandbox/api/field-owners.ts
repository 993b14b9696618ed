/** Computes the owners of fields after a write, through the code in merge/, or keeps none. */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { omitting } from '../apimachinery/json-value.ts';
import { trackUpdate } from '../merge/track-update.ts';
import type { ApiCall } from './api-call.ts';
import { asJson, fromJson, withMeta, type Draft } from './draft.ts';
import { hasStatus, timeOf, type World } from './world.ts';

/** `object` with its managedFields after an update by the call's manager. */
export function tracked(
  world: World,
  { type, subresource, options, defaultManager = '' }: ApiCall,
  before: Draft | undefined,
  object: Draft,
): Draft {
  if (!world.tracksFieldOwners) return object;
  return fromJson(
    trackUpdate({
      before: before && asJson(before),
      after: asJson(object),
      schema: type.schema,
      manager: options.fieldManager ?? defaultManager,
      subresource,
      time: timeOf(world),
      hasStatus: type.isBuiltIn || hasStatus(type),
    }),
  );
}

/**
 * Whether there is nothing to store. An entry of managedFields that differs in its time alone is no
 * change (apiserver fieldmanager.IgnoreManagedFieldsTimestampsTransformer).
 */
export function changesNothing(object: Draft, live: Draft): boolean {
  if (jsonEqual(object, live)) return true;
  const { managedFields } = object.metadata;
  const { managedFields: before } = live.metadata;
  if (managedFields === before || managedFields?.length !== before?.length) return false;
  return jsonEqual(withoutTimes(object), withoutTimes(live));
}

function withoutTimes(object: Draft): Draft {
  const { managedFields = [] } = object.metadata;
  return withMeta(object, { managedFields: managedFields.map((entry) => omitting(entry, 'time')) });
}
