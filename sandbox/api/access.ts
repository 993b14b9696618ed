/**
 * Access rights of the sandbox. Every user may do everything, unless the sandbox is created with
 * other rules.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ApiCall } from './api-call.ts';

/** The user of requests that name none, such as kubectl's with the sandbox's token. */
export const sandboxUser = {
  username: 'millrace-sandbox',
  groups: ['system:masters', 'system:authenticated'],
} as const;

/** The user of a call and their groups. */
export function userOf({ user }: Pick<ApiCall, 'user'>): {
  readonly username: string;
  readonly groups: readonly string[];
} {
  if (user === undefined) return sandboxUser;
  return { username: user, groups: ['system:authenticated'] };
}

/**
 * Answers reviews of access by their spec. It guards nothing else, because other calls are not
 * checked.
 */
export type Permits = (spec: JsonObject) => boolean;

export const permitsEverything: Permits = () => true;

/** Status of a SubjectAccessReview and its like (authorization.k8s.io/v1). */
export function accessStatus(spec: JsonObject, permits: Permits): JsonObject {
  return permits(spec)
    ? { allowed: true, reason: 'the sandbox allows everything' }
    : { allowed: false, reason: 'the sandbox is set up to refuse it' };
}
