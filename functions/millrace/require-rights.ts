/** Checks the rights that `millrace run` needs before anything starts. */
import { bridgeAccess, watchSetOf } from '#functions/bridge/watch-set.ts';
import { subscriptions } from '#functions/list.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { JsonObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/** Any authenticated user may request this review about themselves. */
export const selfReview: Resource = {
  ...resources.SubjectAccessReview,
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
};

/** Throws MR_RIGHTS_MISSING with every missing right. Costs one request per right. */
export async function requireRights(
  client: Pick<KubeClient, 'review'>,
  namespace: string | undefined,
): Promise<void> {
  const missing = await missingOwnRights(client, namespace);
  if (missing.length === 0) return;
  throw new MillraceError('MR_RIGHTS_MISSING', { rights: missing.join(', ') });
}

/** Missing rights in words, such as `create jobs.batch`. Costs one request per right. */
export async function missingOwnRights(
  client: Pick<KubeClient, 'review'>,
  namespace: string | undefined,
): Promise<readonly string[]> {
  const rights = [...rightsOf(neededRules(), namespace)];
  const answers = await Promise.all(
    rights.map(([, attributes]) => client.review(selfReview, { resourceAttributes: attributes })),
  );
  return rights.flatMap(([words], index) => (answers[index]?.['allowed'] === true ? [] : [words]));
}

/** Without the rights for Kueue, which may be absent, and for Leases, which are optional. */
function neededRules(): readonly AccessRule[] {
  const optional = watchSetOf(subscriptions).flatMap(({ resource, neededBy }) =>
    neededBy === undefined ? [] : [resource.group],
  );
  return [...bridgeAccess(subscriptions), ...subscriptions.flatMap(({ access }) => access)].filter(
    (rule) => rule.namespace !== 'own' && !optional.includes(rule.resource.group),
  );
}

/** Each right once: its words, and the question for the API server. `namespace` absent: in all namespaces. */
export function rightsOf(
  rules: readonly AccessRule[],
  namespace: string | undefined,
): ReadonlyMap<string, JsonObject> {
  const rights = new Map<string, JsonObject>();
  for (const { resource, subresource, names, verbs } of rules) {
    const { group, plural } = resource;
    const full = `${subresource === undefined ? plural : `${plural}/${subresource}`}${group === '' ? '' : `.${group}`}`;
    const within = resource.namespaced ? namespace : undefined;
    for (const verb of verbs) {
      for (const name of names ?? [undefined]) {
        const words = [verb, full, ...(name === undefined ? [] : [name])].join(' ');
        rights.set(words, {
          ...{ verb, group, resource: plural },
          ...(subresource === undefined ? {} : { subresource }),
          ...(name === undefined ? {} : { name }),
          ...(within === undefined ? {} : { namespace: within }),
        });
      }
    }
  }
  return rights;
}
