import { suspendPolicyDefaults, type SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { keyOf } from '#shared/suspension/policy-key.ts';
import { omit } from '#shared/domain/omit.ts';
import type { SuspendSnapshot } from './snapshot.ts';

/** The snapshot as if a rival policy, which selects some of the same objects, had another schedule. */
export function assuming(snapshot: SuspendSnapshot, object: NewObject): SuspendSnapshot {
  const policy = object as unknown as SuspendPolicy;
  const key = keyOf(policy);
  if (!snapshot.rivals.some((rival) => rival.key === key)) return snapshot;
  const { precedence = suspendPolicyDefaults.precedence, schedule, capacity } = policy.spec;
  return {
    ...snapshot,
    rivals: snapshot.rivals.map((rival) =>
      rival.key === key
        ? {
            ...omit(rival, 'schedule'),
            ...{ precedence, hasCapacity: capacity !== undefined },
            ...(schedule === undefined ? {} : { schedule }),
          }
        : rival,
    ),
  };
}
