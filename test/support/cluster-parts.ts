/** A control plane as Millrace needs it: nodes, its CRDs, and its roles, each bound to one user. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processes } from '#functions/processes.ts';
import { roleName } from '#shared/api/roles.ts';
import { kubectlOrThrow } from './control-plane/kubectl.ts';
import { createNodes } from './control-plane/nodes.ts';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from './control-plane/start.ts';

/** Each process has its own user and its own generated role, never the admin's rights. */
export const functionUsers: readonly string[] = processes.map(({ name }) => name);

export type Cluster = ControlPlane;

const root = join(import.meta.dirname, '../..');
const crdFolder = join(root, 'deploy/crds');
const policyFolder = join(root, 'deploy/policies');
const roleFolder = join(root, 'deploy/rbac');

/**
 * Starts a control plane with three nodes (one named `minikube`, as in the examples), established
 * CRDs and bound roles of deploy/rbac. Throws `ControlPlaneUnavailable`.
 */
export async function startCluster(
  progress: (line: string) => void,
  options: Omit<ControlPlaneOptions, 'users' | 'progress'> = {},
): Promise<Cluster> {
  const users = functionUsers.map((name) => ({ name }));
  const plane = await startControlPlane({ ...options, users, progress });
  try {
    // Without kwok no node would be reported as ready.
    const nodes = options.kwok === false ? undefined : createNodes(plane, 3, ['minikube']);
    await Promise.all([nodes, installCrds(plane), bindRoles(plane)]);
    // The garbage collector looks for new kinds every 30 s; after a restart it finds Millrace's at
    // once.
    await plane.restart('kube-controller-manager');
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** Applies deploy/crds and deploy/policies and waits until all of them are in effect. */
export async function installCrds(plane: Pick<ControlPlane, 'kubectl'>): Promise<void> {
  if (!holdsManifests(crdFolder)) return;
  await kubectlOrThrow(plane.kubectl, ['apply', '--server-side', '-f', crdFolder]);
  // kubectl fails on a definition without conditions, so this waits for the first of them.
  for (const state of ['jsonpath={.status.conditions[0].type}', 'condition=Established']) {
    const wait = ['wait', `--for=${state}`, '--timeout=60s', '-f', crdFolder];
    await kubectlOrThrow(plane.kubectl, wait);
  }
  await kubectlOrThrow(plane.kubectl, ['apply', '--server-side', '-f', policyFolder]);
  await policiesInEffect(plane);
}

/**
 * The API server looks for policies from time to time and does not report that it has seen them.
 */
async function policiesInEffect({ kubectl }: Pick<ControlPlane, 'kubectl'>): Promise<void> {
  const input = JSON.stringify({
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name: 'refused', namespace: 'default' },
    spec: { flows: [{ name: 'a', dependencies: ['a'], jobTemplateRef: 'none' }] },
  });
  for (;;) {
    const { stderr } = await kubectl(['create', '--dry-run=server', '-f', '-'], { input });
    if (stderr.includes('ValidatingAdmissionPolicy')) return;
    await setTimeout(100);
  }
}

/** Applies deploy/rbac and binds each of Millrace's users to the ClusterRole of its name. */
export async function bindRoles(plane: Pick<ControlPlane, 'kubectl'>): Promise<void> {
  if (!holdsManifests(roleFolder)) return;
  await kubectlOrThrow(plane.kubectl, ['apply', '--server-side', '-f', roleFolder]);
  const input = JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: functionUsers.map(bindingFor),
  });
  await kubectlOrThrow(plane.kubectl, ['apply', '--server-side', '-f', '-'], { input });
}

/** Gives a user the rights that its process has in its own namespace. */
export async function bindOwnRole(
  { kubectl }: Pick<ControlPlane, 'kubectl'>,
  user: string,
  namespace: string,
): Promise<void> {
  const manifests = join(roleFolder, `${user}.yaml`);
  await kubectlOrThrow(kubectl, ['apply', '--server-side', '-n', namespace, '-f', manifests]);
  const role = roleName(user);
  await kubectlOrThrow(kubectl, [
    ...['create', 'rolebinding', role, '-n', namespace],
    ...[`--role=${role}`, `--user=${user}`],
  ]);
}

function bindingFor(user: string) {
  const role = roleName(user);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `${role}:user` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
}

function holdsManifests(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((file) => /\.ya?ml$/.test(file));
}
