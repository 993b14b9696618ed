/** A kind for tests: each Roster has a ConfigMap with the names of the cluster's nodes. */
import Type from 'typebox';
import { field } from '#shared/api/field.ts';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { Resource } from '#shared/domain/objects.ts';

export const Roster: Resource = {
  group: 'test.millrace.dev',
  version: 'v1',
  plural: 'rosters',
  kind: 'Roster',
  namespaced: true,
};

export const ConfigMap: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

export const rosterKind: KindDefinition = {
  resource: Roster,
  shortNames: [],
  says: 'A Roster keeps the names of the nodes in a ConfigMap.',
  spec: Type.Object(
    { title: Type.Optional(Type.String(field({ says: 'Stands in the ConfigMap.' }))) },
    field({ says: 'What the ConfigMap says.' }),
  ),
  status: Type.Object(
    { nodes: Type.Optional(Type.Integer(field({ says: 'How many nodes are named.' }))) },
    field({ says: 'What was written.' }),
  ),
  rules: [],
  selectableFields: [],
  columns: [],
};
