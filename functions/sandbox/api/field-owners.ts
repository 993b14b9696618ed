/** Whose fields are whose after a write: the hand-over to the merge room, or nothing at all. */
import { trackUpdate } from '../merge/track-update.ts';
import type { ApiCall } from './api-call.ts';
import { asJson, fromJson, type Draft } from './draft.ts';
import { hasStatus, timeOf, type World } from './world.ts';

/** `object` with its managedFields after an update by the call's manager. */
export function tracked(
  world: World,
  { type, subresource, options }: ApiCall,
  before: Draft | undefined,
  object: Draft,
): Draft {
  if (!world.tracksFieldOwners) return object;
  return fromJson(
    trackUpdate({
      before: before && asJson(before),
      after: asJson(object),
      schema: type.schema,
      manager: options.fieldManager ?? '',
      subresource,
      time: timeOf(world),
      hasStatus: type.isBuiltIn || hasStatus(type),
    }),
  );
}
