/** RBAC manifests from what a process declares that it reads and writes. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources, type ResourceKind } from '#shared/domain/resources.ts';

/** One permission; an event function's `AccessRule` is one. */
export interface AccessRule {
  readonly resource: ResourceKind;
  readonly subresource?: string;
  readonly verbs: readonly string[];
}

/** `cluster` reaches every namespace; a namespace name limits the role to that one. */
export type RoleScope = 'cluster' | { readonly namespace: string };

/** Name of the role of one process, and of its binding. */
export function roleName(process: string): string {
  return `millrace:${process}`;
}

/**
 * A ClusterRole, or a Role when the scope is one namespace. One entry per API group and set of
 * verbs, in the order of the first mention; nothing is granted by wildcard.
 */
export function renderRole(
  process: string,
  access: readonly AccessRule[],
  scope: RoleScope = 'cluster',
): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: scope === 'cluster' ? 'ClusterRole' : 'Role',
    metadata: {
      name: roleName(process),
      ...(scope === 'cluster' ? {} : { namespace: scope.namespace }),
      labels: { 'app.kubernetes.io/part-of': 'millrace', 'app.kubernetes.io/component': process },
    },
    rules: policyRules(access),
  };
}

function policyRules(access: readonly AccessRule[]): JsonObject[] {
  const rules = new Map<string, { group: string; resources: Set<string>; verbs: string[] }>();
  for (const { resource, subresource, verbs } of access) {
    const { group, plural } = resources[resource];
    const sorted = [...new Set(verbs)].sort();
    const key = [group, ...sorted].join(' ');
    const rule = rules.get(key) ?? { group, resources: new Set<string>(), verbs: sorted };
    rule.resources.add(subresource === undefined ? plural : `${plural}/${subresource}`);
    rules.set(key, rule);
  }
  return [...rules.values()].map((rule) => ({
    apiGroups: [rule.group],
    resources: [...rule.resources].sort(),
    verbs: rule.verbs,
  }));
}
