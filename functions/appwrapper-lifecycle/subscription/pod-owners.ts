/**
 * Whether a Pod belongs to the component that its label names. Any user who may create Pods may set the label. So it
 * counts only if the Pod's owner agrees, as far as the owner is known without a request for each Pod.
 */
import type { KindName } from '#shared/domain/kind-name.ts';
import {
  controllerOf,
  type KubeObject,
  type OwnerReference,
  type Uid,
} from '#shared/domain/objects.ts';

/** The chain of owners from a Pod to an object of a kind. */
type Chain =
  /** The component is the Pod. */
  | 'itself'
  /** The component controls its Pods. */
  | 'controller'
  /** The component controls the Pods' controllers, whose names begin with its own. */
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
 * `member`: a Pod of the component. `left`: a Pod with a matching name and no controller. It may be left over and uses
 * quota, but says nothing about the component. Undefined: it belongs to another owner.
 */
export type Membership = 'member' | 'left';

/** Operators of unknown kinds may name and own Pods as they like, so their Pods are members. */
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
