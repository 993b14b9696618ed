/** CustomResourceDefinition (apiextensions-apiserver pkg/apiserver/validation, registry, naming controller). */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/cause.ts';
import { compileSchema } from '../../schema/compiled-schema.ts';
import type { DefinitionSpec, DefinitionVersion } from '../../registry/definition-spec.ts';
import type { Schema } from '../../schema/schema.ts';
import { type Draft, withFieldOf } from '../draft.ts';
import { immutableFault } from '../metadata-rules.ts';
import { labelFault, serviceLabelFault } from '../../apimachinery/names.ts';
import { patternFaults } from './schema-patterns.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { ownStatus, type Strategy } from '../strategy.ts';
import { timeOf, type World } from '../world.ts';

const specOf = ({ spec }: Draft): DefinitionSpec => spec ?? {};

export const definition: Strategy = {
  ...ownStatus,
  defaults: withDefaults,
  prepareCreate: (object, world) => withStatus(object, undefined, world),
  prepareUpdate: (object, old, world) =>
    object.spec === old.spec ? withFieldOf(object, 'status', old) : withStatus(object, old, world),
  faults,
  changeFaults: (object, old) => [
    ...immutableFault('spec.group', specOf(object).group, specOf(old).group),
    ...immutableFault('spec.scope', specOf(object).scope, specOf(old).scope),
    ...immutableFault('spec.names.kind', specOf(object).names?.kind, specOf(old).names?.kind),
    ...immutableFault('spec.names.plural', specOf(object).names?.plural, specOf(old).names?.plural),
  ],
};

function withDefaults(object: Draft): Draft {
  const spec = specOf(object);
  const { names = {}, conversion } = spec;
  const { kind = '' } = names;
  const whole = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
  return {
    ...object,
    spec: { ...spec, names: whole, conversion: conversion ?? { strategy: 'None' } },
  };
}

interface DefinitionStatus {
  readonly storedVersions?: readonly string[];
  readonly conditions?: readonly object[];
}

/** The kind is served at once. So conditions that the real controllers set a moment later are set now. */
function withStatus(object: Draft, old: Draft | undefined, world: World): Draft {
  const { names = {}, versions = [] } = specOf(object);
  const before = (old?.status ?? {}) as DefinitionStatus;
  const storage = versions.find((version) => version.storage === true)?.name;
  const stored = before.storedVersions ?? [];
  const storedVersions =
    storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
  return {
    ...object,
    status: {
      conditions: before.conditions ?? establishedAt(timeOf(world)),
      acceptedNames: names,
      storedVersions,
    },
  };
}

function establishedAt(lastTransitionTime: string): readonly object[] {
  const condition = (type: string, reason: string, message: string): object => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  });
  return [
    condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
    condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
  ];
}

function faults(object: Draft): readonly StatusCause[] {
  const { group = '', scope, names = {}, versions = [], conversion } = specOf(object);
  const { plural = '', kind = '' } = names;
  const found: StatusCause[] = [];
  if (object.metadata.name !== `${plural}.${group}`) {
    found.push(
      invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'),
    );
  }
  if (group === '') found.push(required('spec.group'));
  else if (!group.includes('.'))
    found.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  if (scope === undefined) found.push(required('spec.scope'));
  else if (!['Cluster', 'Namespaced'].includes(scope)) {
    found.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  }
  if (plural === '') found.push(required('spec.names.plural'));
  if (kind === '') found.push(required('spec.names.kind'));
  const pluralFault = plural === '' ? undefined : labelFault(plural);
  if (pluralFault !== undefined) found.push(invalid('spec.names.plural', plural, pluralFault));
  if (kind !== '' && serviceLabelFault(kind.toLowerCase()) !== undefined) {
    found.push(
      invalid(
        'spec.names.kind',
        kind,
        `may have mixed case, but should otherwise match: ${serviceLabelFault(kind.toLowerCase()) ?? ''}`,
      ),
    );
  }
  if (conversion?.strategy !== undefined && conversion.strategy !== 'None') {
    found.push(
      forbidden('spec.conversion.strategy', 'the sandbox does not simulate conversion webhooks'),
    );
  }
  const stored = versions.filter((version) => version.storage === true);
  if (stored.length !== 1) {
    found.push(
      invalid(
        'spec.versions',
        versions as never,
        'must have exactly one version marked as storage version',
      ),
    );
  }
  return [
    ...found,
    ...versions.flatMap((version, place) => versionFaults(version, `spec.versions[${place}]`)),
  ];
}

function versionFaults({ schema }: DefinitionVersion, path: string): readonly StatusCause[] {
  const root = schema?.openAPIV3Schema;
  if (root === undefined) return [required(`${path}.schema.openAPIV3Schema`)];
  const rootFault =
    root.type === undefined
      ? [required(`${path}.schema.openAPIV3Schema.type`, 'must not be empty at the root')]
      : root.type === 'object'
        ? []
        : [invalid(`${path}.schema.openAPIV3Schema.type`, root.type, 'must be object at the root')];
  if (rootFault.length > 0) return rootFault;
  // For a definition with one version, the API server reports pattern faults at this path.
  const patterns = patternFaults(root, 'spec.validation.openAPIV3Schema');
  if (patterns.length > 0) return patterns;
  // Refuses (501) what the sandbox cannot evaluate. Otherwise the kind would be served without these rules.
  compileSchema(root);
  return structuralFaults(root, `${path}.schema.openAPIV3Schema`);
}

/** The rule of structural schemas that is broken most often: every part has a type. */
function structuralFaults(schema: Schema, path: string): readonly StatusCause[] {
  const found: StatusCause[] = [];
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    found.push(...partFaults(part, `${path}.properties[${name}]`, 'object fields'));
  }
  if (schema.items !== undefined)
    found.push(...partFaults(schema.items, `${path}.items`, 'array items'));
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    found.push(
      ...partFaults(additionalProperties, `${path}.additionalProperties`, 'object fields'),
    );
  }
  return found;
}

function partFaults(part: Schema, path: string, what: string): readonly StatusCause[] {
  const isFree =
    part['x-kubernetes-int-or-string'] === true ||
    part['x-kubernetes-preserve-unknown-fields'] === true;
  const below = structuralFaults(part, path);
  if (part.type !== undefined || isFree) return below;
  return [required(`${path}.type`, `must not be empty for specified ${what}`), ...below];
}
