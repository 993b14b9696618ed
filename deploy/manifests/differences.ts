/** The changes by other settings in an installation, for an overlay: added objects and patches. */
import { isDeepStrictEqual } from 'node:util';
import {
  groupVersionOf,
  type Json,
  type JsonObject,
  type NewObject,
} from '#shared/domain/objects.ts';
import type { Installation } from '#shared/installation/installation.ts';

export interface Differences {
  readonly added: readonly JsonObject[];
  readonly patches: readonly JsonObject[];
}

/** Whole fields of roles, bindings and webhooks, removals, and variables that Deployments gain. */
export function differences(from: Installation, to: Installation): Differences {
  const before = new Map(reaching(from).map((object) => [identityOf(object), object]));
  const added: JsonObject[] = [];
  const patches: JsonObject[] = [];
  for (const object of reaching(to)) {
    const found = before.get(identityOf(object));
    if (found === undefined) added.push(object);
    else patches.push(...changedFields(found, object));
    before.delete(identityOf(object));
  }
  patches.push(...[...before.values()].map(removalOf));
  return { added, patches: [...patches, ...joiningVariables(deployments(from), deployments(to))] };
}

/** Added variables of containers in every kind of workload. Both lists have the same workloads. */
export function joiningVariables(
  from: readonly JsonObject[],
  to: readonly JsonObject[],
): readonly JsonObject[] {
  const before = new Map(from.map((object) => [identityOf(object), object]));
  return to
    .filter((object) => 'template' in specOf(object))
    .flatMap((object) => addedVariables(before.get(identityOf(object)) ?? object, object));
}

/** The objects that determine how far the rights of processes reach. */
function reaching({ access, webhooks }: Installation): readonly JsonObject[] {
  return [...[...access.values()].flat(), ...webhooks];
}

function deployments(installation: Installation): readonly JsonObject[] {
  return [...installation.bridge, ...installation.workers, ...installation.deployments];
}

function identityOf(object: JsonObject): string {
  const { apiVersion, kind, metadata } = object as unknown as NewObject;
  return `${apiVersion}/${kind}/${metadata.name}`;
}

function changedFields(from: JsonObject, to: JsonObject): readonly JsonObject[] {
  const fields = Object.entries(to).filter(
    ([name, value]) => !isDeepStrictEqual(from[name], value),
  );
  if (fields.length === 0) return [];
  return [
    patchOf(
      to,
      fields.map(([name, value]) => ({ op: 'replace', path: `/${name}`, value })),
    ),
  ];
}

interface WorkloadSpec {
  readonly template: {
    readonly spec: { readonly containers: readonly [{ readonly env?: readonly JsonObject[] }] };
  };
}

function specOf(object: JsonObject): WorkloadSpec {
  return object['spec'] as unknown as WorkloadSpec;
}

function addedVariables(from: JsonObject, to: JsonObject): readonly JsonObject[] {
  const known = variablesOf(from);
  const joining = variablesOf(to).filter(
    (each) => !known.some(({ name }) => name === each['name']),
  );
  if (joining.length === 0) return [];
  const path = '/spec/template/spec/containers/0/env/-';
  return [
    patchOf(
      to,
      joining.map((value) => ({ op: 'add', path, value })),
    ),
  ];
}

function variablesOf(object: JsonObject): readonly JsonObject[] {
  return specOf(object).template.spec.containers[0].env ?? [];
}

function patchOf(object: JsonObject, operations: readonly Json[]): JsonObject {
  const { apiVersion, kind, metadata } = object as unknown as NewObject;
  const { group } = groupVersionOf(apiVersion);
  return { target: { group, kind, name: metadata.name }, patch: JSON.stringify(operations) };
}

export function removalOf(object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata } = object as unknown as NewObject;
  const { name } = metadata;
  const { group, version } = groupVersionOf(apiVersion);
  const target = { ...(group === '' ? {} : { group }), version, kind, name };
  const removal = { $patch: 'delete', apiVersion, kind, metadata: { name } };
  return { target, patch: JSON.stringify(removal) };
}
