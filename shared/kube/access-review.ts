/**
 * Whether a user may do something: a SubjectAccessReview (authorization.k8s.io/v1) to the API server.
 */
import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import type { JsonObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from './client.ts';

export interface AccessQuestion {
  readonly user: ReviewUser;
  readonly verb: string;
  readonly resource: Pick<Resource, 'group' | 'version' | 'plural'>;
  /** Absent: the object itself. */
  readonly subresource?: string;
  /** Empty: the resource is cluster-scoped. */
  readonly namespace: string;
  /** Absent: any name. */
  readonly name?: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  /** The authorizer's words; most often it has none. */
  readonly reason?: string;
}

/** Throws MR_API_* if the API server gives no answer: that is not a refusal. */
export async function askAccess(
  client: Pick<KubeClient, 'review'>,
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const status = await client.review(resources.SubjectAccessReview, specOf(question), signal);
  const { allowed, reason } = status;
  return {
    allowed: allowed === true,
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
  };
}

/** To act as a service account: Kubernetes grants this as `impersonate` in its roles edit and admin. */
export function impersonation(user: ReviewUser, namespace: string, name: string): AccessQuestion {
  const resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
  return { user, verb: 'impersonate', resource, namespace, name };
}

function specOf({
  user,
  verb,
  resource,
  subresource,
  namespace,
  name,
}: AccessQuestion): JsonObject {
  const { group, version, plural } = resource;
  return {
    user: user.username,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: user.groups,
    extra: user.extra,
    resourceAttributes: {
      ...{ verb, group, version, resource: plural, namespace },
      ...(subresource === undefined ? {} : { subresource }),
      ...(name === undefined ? {} : { name }),
    },
  };
}
