/**
 * Whether a Pod is of the component that its label names. Anybody who may create Pods may write the label: what it says
 * counts only where the owner of the Pod agrees, as far as the owner is known without a request for each Pod.
 */
import type { KindName } from '#shared/domain/kind-name.ts';
import {
  controllerOf,
  type KubeObject,
  type OwnerReference,
  type Uid,
} from '#shared/domain/objects.ts';

/** How the Pods of a kind hang together with it. */
type Chain =
  /** It is the Pod. */
  | 'itself'
  /** It controls its Pods. */
  | 'controller'
  /** It controls what controls them, under a name that begins with its own. */
  | 'named';

const chains: ReadonlyMap<string, Chain> = new Map([
  ['v1 Pod', 'itself'],
  ['apps/v1 Deployment', 'named'],
  ['apps/v1 StatefulSet', 'controller'],
  ['batch/v1 Job', 'controller'],
  ['jobset.x-k8s.io/v1alpha2 JobSet', 'named'],
  ['kubeflow.org/v1 PyTorchJob', 'controller'],
  ['ray.io/v1 RayCluster', 'controller'],
]);

/**
 * `member`: it is a Pod of the component. `left`: nothing controls it, and its name is that of one: it may have been
 * left behind, uses quota, and says nothing about the component. Undefined: it belongs to others.
 */
export type Membership = 'member' | 'left';

/** Operators of kinds that are not known here may name and own Pods as they like: their Pods are members. */
export function membershipOf(
  { metadata }: Pick<KubeObject, 'metadata'>,
  { apiVersion, kind, name }: KindName & { readonly name: string },
  wrapper: Uid,
): Membership | undefined {
  const chain = chains.get(`${apiVersion} ${kind}`);
  if (chain === undefined) return 'member';
  const owner = controllerOf(metadata);
  const isNamed = metadata.name === name || metadata.name.startsWith(`${name}-`);
  if (owner === undefined) return isNamed ? 'left' : undefined;
  return isOwned(chain, metadata.name, owner, { kind, name }, wrapper) ? 'member' : undefined;
}

function isOwned(
  chain: Chain,
  pod: string,
  owner: OwnerReference,
  component: { readonly kind: string; readonly name: string },
  wrapper: Uid,
): boolean {
  switch (chain) {
    case 'itself':
      return pod === component.name && owner.uid === wrapper;
    case 'named':
      return owner.name.startsWith(`${component.name}-`);
    case 'controller':
      return owner.kind === component.kind && owner.name === component.name;
  }
}
