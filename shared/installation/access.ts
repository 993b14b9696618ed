/** A process's account in the cluster, and its rights. */
import { renderRoles, roleName } from '#shared/api/roles.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { wrappedRoleName } from './user-roles.ts';
import { manifest, selectorOf } from './names.ts';

/** Where a process runs, and how far its rights reach. */
export interface Reach {
  readonly namespace: string;
  /** Its rights in namespaces hold only in this one. */
  readonly namespaced: boolean;
}

/** ServiceAccount, roles and bindings of a process. */
export function accessOf(
  { name, access, isAllowedWrapped }: Pick<DeclaredProcess, 'name' | 'access' | 'isAllowedWrapped'>,
  reach: Reach,
): readonly JsonObject[] {
  const { namespace, namespaced } = reach;
  const granted = namespaced ? access.map(inOwn) : access;
  const roles = renderRoles(name, granted).map((role) => inNamespace(role, namespace));
  return [
    serviceAccount(name, namespace),
    ...roles,
    ...bindingsOf(name, roles, namespace),
    ...(isAllowedWrapped === true ? [bindingToWrapped(name, reach)] : []),
  ];
}

/** Binds the process to what administrators allow on kinds of their cluster (user-roles.ts). */
function bindingToWrapped(process: string, { namespace, namespaced }: Reach): JsonObject {
  const metadata = { name: roleName(`${process}-wrapped`), labels: selectorOf(process) };
  const apiGroup = 'rbac.authorization.k8s.io';
  return manifest(
    `${apiGroup}/v1`,
    namespaced ? 'RoleBinding' : 'ClusterRoleBinding',
    namespaced ? { ...metadata, namespace } : metadata,
    {
      roleRef: { apiGroup, kind: 'ClusterRole', name: wrappedRoleName },
      subjects: [{ kind: 'ServiceAccount', name: process, namespace }],
    },
  );
}

/** Cluster-scoped objects are in no namespace and still need a ClusterRole. */
function inOwn(rule: AccessRule): AccessRule {
  return rule.resource.namespaced ? { ...rule, namespace: 'own' } : rule;
}

/** A ClusterRole has no namespace. */
function inNamespace(role: JsonObject, namespace: string): JsonObject {
  if (role['kind'] !== 'Role') return role;
  return { ...role, metadata: { ...(role['metadata'] as JsonObject), namespace } };
}

export function serviceAccount(name: string, namespace: string): JsonObject {
  const metadata = { name, namespace, labels: selectorOf(name) };
  return manifest('v1', 'ServiceAccount', metadata);
}

function bindingsOf(
  process: string,
  roles: readonly JsonObject[],
  namespace: string,
): readonly JsonObject[] {
  return roles.map((role) => {
    const kind = role['kind'] === 'Role' ? 'Role' : 'ClusterRole';
    const metadata = { name: roleName(process), labels: selectorOf(process) };
    return manifest(
      'rbac.authorization.k8s.io/v1',
      `${kind}Binding`,
      kind === 'Role' ? { ...metadata, namespace } : metadata,
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName(process) },
        subjects: [{ kind: 'ServiceAccount', name: process, namespace }],
      },
    );
  });
}
