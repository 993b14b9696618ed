/** RBAC manifests from the reads and writes that a process declares. */
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { JsonObject } from '#shared/domain/objects.ts';

/** Name of a process's role and of its binding. */
export function roleName(process: string): string {
  return `millrace:${process}`;
}

/**
 * A ClusterRole, and a Role for what the process may do only in its own namespace. The Role names no
 * namespace; it is applied into that of the process (`kubectl apply -n`). One entry per API group, set
 * of verbs and names, in the order of the first mention. Nothing is granted by wildcard.
 */
export function renderRoles(process: string, access: readonly AccessRule[]): readonly JsonObject[] {
  const own = access.filter(({ namespace }) => namespace === 'own');
  const everywhere = access.filter(({ namespace }) => namespace === undefined);
  const roles = [role('ClusterRole', process, everywhere)];
  return own.length === 0 ? roles : [...roles, role('Role', process, own)];
}

function role(kind: string, process: string, access: readonly AccessRule[]): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: {
      name: roleName(process),
      labels: { 'app.kubernetes.io/part-of': 'millrace', 'app.kubernetes.io/component': process },
    },
    rules: policyRules(access),
  };
}

interface PolicyRule {
  readonly group: string;
  readonly resources: Set<string>;
  readonly names: readonly string[];
  readonly verbs: readonly string[];
}

function policyRules(access: readonly AccessRule[]): JsonObject[] {
  const rules = new Map<string, PolicyRule>();
  for (const { resource, subresource, names = [], verbs } of access) {
    const { group, plural } = resource;
    const sorted = [...new Set(verbs)].sort();
    const key = JSON.stringify([group, sorted, names]);
    const rule = rules.get(key) ?? { group, resources: new Set<string>(), names, verbs: sorted };
    rule.resources.add(subresource === undefined ? plural : `${plural}/${subresource}`);
    rules.set(key, rule);
  }
  return [...rules.values()].map((rule) => ({
    apiGroups: [rule.group],
    resources: [...rule.resources].sort(),
    ...(rule.names.length === 0 ? {} : { resourceNames: [...rule.names] }),
    verbs: [...rule.verbs],
  }));
}
