/** The definitions of kinds with simulated operators, and what an operator does with an object named `part`. */
import { apiVersionOf, type Resource } from '#shared/domain/objects.ts';
import { type Kubectl, kubectlOrThrow } from '../control-plane/kubectl.ts';
import type { FlowWorld } from '../flow-world.ts';
import { definitionOf, type PlayedKind, playedKinds, type StoredObject } from './played-kinds.ts';

/** In kubectl's form. */
export const nameOf = ({ plural, group }: Resource) => `${plural}.${group}`;

export async function installPlayedKinds(kubectl: Kubectl): Promise<void> {
  const items = playedKinds.map(({ resource }) => definitionOf(resource));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOrThrow(kubectl, ['apply', '-f', '-'], { input });
  const wait = ['wait', '--for=condition=Established', '--timeout=60s'];
  const names = playedKinds.map(({ resource }) => `crd/${nameOf(resource)}`);
  await kubectlOrThrow(kubectl, [...wait, ...names]);
}

/** The object to be wrapped. */
export function partOf({ resource, metadata, spec }: PlayedKind): object {
  return {
    ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
    ...{ metadata: { ...metadata, name: 'part' }, spec },
  };
}

/** Creates the children of the part. */
export async function playOperator(
  world: FlowWorld,
  { resource, children }: PlayedKind,
): Promise<void> {
  const text = await world.kubectl(['get', nameOf(resource), 'part', '-o', 'json']);
  const items = children(JSON.parse(text) as StoredObject);
  await world.kubectl(
    ['create', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
}
