/** The types of a CustomResourceDefinition, one for each served version. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { DefinitionColumn, DefinitionSpec, DefinitionVersion } from './definition-spec.ts';
import { age } from './human-duration.ts';
import { valuesAt } from './json-path.ts';
import type { PrinterColumn, ResourceType, Row } from './resource-type.ts';
import type { Registration } from './type-registry.ts';

const nameColumn: PrinterColumn = { name: 'Name', type: 'string', format: 'name', priority: 0 };
const ageColumn: DefinitionColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

/** The definition has been validated and stored. */
export function customTypes(definition: KubeObject): readonly Registration[] {
  const spec = definition.spec as DefinitionSpec;
  const { versions = [] } = spec;
  const stored = versions.find(({ storage }) => storage === true) ?? versions[0];
  if (stored === undefined) return [];
  const storageType = typeOf(spec, stored);
  return versions
    .filter(({ served }) => served === true)
    .toSorted((left, right) => compareVersions(left.name, right.name))
    .map((version) =>
      registration(version === stored ? storageType : typeOf(spec, version), storageType),
    );
}

function registration(type: ResourceType, storageType: ResourceType): Registration {
  const inVersion =
    ({ group, version }: ResourceType) =>
    (object: KubeObject): KubeObject => {
      const apiVersion = `${group}/${version}`;
      return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
    };
  const storage = {
    type: storageType,
    toStored: inVersion(storageType),
    fromStored: inVersion(type),
  };
  return { type, storage };
}

function typeOf(spec: DefinitionSpec, version: DefinitionVersion): ResourceType {
  const { group = '', scope, names = {} } = spec;
  const { plural = '', kind = '' } = names;
  const { status, scale } = version.subresources ?? {};
  const columns = version.additionalPrinterColumns ?? [ageColumn];
  return {
    group,
    version: version.name,
    plural,
    kind,
    namespaced: scope !== 'Cluster',
    singular: names.singular ?? kind.toLowerCase(),
    listKind: names.listKind ?? `${kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: [
      ...(status === undefined ? [] : (['status'] as const)),
      ...(scale === undefined ? [] : (['scale'] as const)),
    ],
    ...(version.schema?.openAPIV3Schema === undefined
      ? {}
      : { schema: version.schema.openAPIV3Schema }),
    ...(scale === undefined ? {} : { scale }),
    columns: [nameColumn, ...columns.map(columnOf)],
    row: rowOf(columns),
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.slice(1)),
    hasGeneration: true,
    isBuiltIn: false,
  };
}

function columnOf({
  name,
  type,
  format,
  jsonPath,
  description = `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority = 0,
}: DefinitionColumn): PrinterColumn {
  return {
    name,
    type: type as PrinterColumn['type'],
    priority,
    ...(format === undefined ? {} : { format }),
    description,
  };
}

function rowOf(columns: readonly DefinitionColumn[]): Row {
  return (object, nowMs) => [
    object.metadata.name,
    ...columns.map((column) => cellOf(object, column, nowMs)),
  ];
}

/** apiextensions-apiserver pkg/registry/customresource/tableconvertor cellForJSONValue. */
function cellOf(
  object: KubeObject,
  { jsonPath, type }: DefinitionColumn,
  nowMs: number,
): string | number | boolean | null {
  const values = valuesAt(object, jsonPath);
  const [value] = values;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'date':
      return typeof value === 'string' ? age(value, nowMs) : '<invalid>';
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** apimachinery version.CompareKubeAwareVersionStrings: v2, v1, v1beta2, v1alpha1, others by name. */
function compareVersions(left: string, right: string): number {
  const [one, other] = [rankOf(left), rankOf(right)];
  for (const [place, rank] of one.entries()) {
    const difference = (other[place] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

function rankOf(version: string): readonly number[] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (found === null) return [0, 0, 0, 0];
  const [, major, level, minor] = found;
  const maturity = level === undefined ? 3 : level === 'beta' ? 2 : 1;
  return [1, maturity, Number(major), Number(minor ?? 0)];
}
