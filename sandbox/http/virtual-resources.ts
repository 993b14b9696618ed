/**
 * Resources that are answered but not stored: reviews of access and identity. In a sandbox every
 * user may do everything, and all requests have the same user.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { accessStatus, type Permits, sandboxUser } from '../api/access.ts';
import { invalid, StatusError } from '../apimachinery/status-error.ts';
import { invalid as invalidField } from '../apimachinery/cause.ts';
import type { ResourcePath } from './route.ts';

export interface VirtualResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The status of a posted review. Throws StatusError. */
  readonly statusOf: StatusOf;
}

type StatusOf = (spec: JsonObject, permits: Permits) => JsonObject;

const everything = () => ({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
});

const tokensAreNotChecked = (): never => {
  const message =
    'the sandbox does not simulate TokenReview: it knows one token, that of its kubeconfig';
  throw new StatusError(501, 'NotImplemented', message);
};

function review(
  group: string,
  kind: string,
  statusOf: StatusOf,
  namespaced = false,
): VirtualResource {
  const singular = kind.toLowerCase();
  return { group, version: 'v1', plural: `${singular}s`, singular, kind, namespaced, statusOf };
}

/** In the order of discovery. */
export const virtualResources: readonly VirtualResource[] = [
  review('authentication.k8s.io', 'SelfSubjectReview', () => ({ userInfo: { ...sandboxUser } })),
  review('authentication.k8s.io', 'TokenReview', tokensAreNotChecked),
  review('authorization.k8s.io', 'LocalSubjectAccessReview', accessStatus, true),
  review('authorization.k8s.io', 'SelfSubjectAccessReview', accessStatus),
  review('authorization.k8s.io', 'SelfSubjectRulesReview', everything),
  review('authorization.k8s.io', 'SubjectAccessReview', accessStatus),
];

export function virtualResourceAt(path: ResourcePath): VirtualResource | undefined {
  return virtualResources.find(
    ({ group, version, plural }) =>
      group === path.group && version === path.version && plural === path.plural,
  );
}

/** The review with its status, as the answer to a create. Throws StatusError 422. */
export function reviewed(
  resource: VirtualResource,
  body: JsonObject,
  permits: Permits,
): JsonObject {
  const { group, version, kind, statusOf } = resource;
  const { metadata = {}, spec } = body;
  if (kind.endsWith('AccessReview')) checkAccessSpec((spec ?? {}) as JsonObject);
  return {
    kind,
    apiVersion: `${group}/${version}`,
    metadata,
    ...(spec === undefined ? {} : { spec }),
    status: statusOf((spec ?? {}) as JsonObject, permits),
  };
}

/** pkg/apis/authorization/validation ValidateSelfSubjectAccessReviewSpec. */
function checkAccessSpec({ resourceAttributes, nonResourceAttributes }: JsonObject): void {
  const isOfResource = (resourceAttributes ?? null) !== null;
  const path = (nonResourceAttributes ?? null) as JsonObject | null;
  if (isOfResource !== (path !== null)) return;
  // The API server's message names neither the kind nor the object.
  const type = { group: 'authorization.k8s.io', plural: '', kind: '' };
  if (path === null) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw invalid(type, '', [invalidField('spec.resourceAttributes', null, detail)]);
  }
  const shown = { Path: path['path'] ?? '', Verb: path['verb'] ?? '' };
  const detail = 'cannot be specified in combination with resourceAttributes';
  throw invalid(type, '', [invalidField('spec.nonResourceAttributes', shown, detail)]);
}
