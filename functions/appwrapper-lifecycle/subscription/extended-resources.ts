/** Extended resources that containers request. Their names have a slash, such as `nvidia.com/gpu`. */
import { fieldsOf, listOf, membersOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { parseQuantity } from '#shared/domain/quantity.ts';

/** Names of the extended resources. */
export function extendedResourcesOf(containers: Json | undefined): ReadonlySet<string> {
  return new Set(listOf(containers).flatMap((container) => namesOf(fieldsOf(container))));
}

/** Each container reduced to its extended resources, in its place. Empty: none is requested. */
export function extendedPartsOf(containers: Json | undefined): readonly JsonObject[] {
  if (extendedResourcesOf(containers).size === 0) return [];
  return listOf(containers).map((container) => {
    const { name, resources } = fieldsOf(container);
    const { requests, limits } = fieldsOf(resources);
    const kept = Object.entries({ requests, limits })
      .map(([field, amounts]) => [field, extendedOf(amounts)] as const)
      .filter(([, amounts]) => Object.keys(amounts).length > 0);
    return {
      ...(name === undefined ? {} : { name }),
      ...(kept.length === 0 ? {} : { resources: Object.fromEntries(kept) }),
    };
  });
}

function namesOf({ resources }: JsonObject): readonly string[] {
  const { requests, limits } = fieldsOf(resources);
  return [requests, limits].flatMap((amounts) => Object.keys(extendedOf(amounts)));
}

function extendedOf(amounts: Json | undefined): JsonObject {
  const all = fieldsOf(amounts);
  return membersOf(all, (name) => name.includes('/') && isSome(ownMember(all, name)));
}

function isSome(amount: Json | undefined): boolean {
  const isAmount = typeof amount === 'string' || typeof amount === 'number';
  return isAmount && (parseQuantity(amount) ?? 0) > 0;
}
