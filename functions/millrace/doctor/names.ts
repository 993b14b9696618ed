/** Foreign definitions with the names of Millrace's kinds: kubectl picks one of them if only the name is typed. */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import { type KubeObject, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { listed } from '#shared/domain/wording.ts';
import { type Finding, ok, type Patient, skipped, warning } from './examination.ts';

const about = 'names of kinds';

export async function examineNames(
  kinds: readonly KindDefinition[],
  { client, cluster }: Pick<Patient, 'client' | 'cluster'>,
): Promise<Finding> {
  let definitions: readonly KubeObject[];
  try {
    definitions = (await client.list(resources.CustomResourceDefinition, {})).items;
  } catch (error) {
    if (!hasCode(error, 'MR_API_FORBIDDEN')) throw error;
    return skipped(about, 'you may not list definitions of kinds');
  }
  const own = new Set(kinds.map(({ resource }) => resourceKey(resource)));
  const others = definitions.filter(({ metadata }) => !own.has(metadata.name));
  const clashes = kinds.flatMap((kind) =>
    others.flatMap((other) => {
      const shared = namesOfDefinition(other).filter((name) => namesOfKind(kind).includes(name));
      return shared.length === 0 ? [] : [{ kind, other: other.metadata.name, shared }];
    }),
  );
  const [first] = clashes;
  if (first === undefined) return ok(about, 'no other definition has one of them');
  const words = clashes.map(({ kind, other, shared }) => {
    return `${shared.join(', ')} may mean ${other} instead of ${resourceKey(kind.resource)}`;
  });
  const next = `${cluster.kubectl} get ${resourceKey(first.kind.resource)} -A`;
  return warning(about, `${listed(words)}; type the whole name`, next);
}

function namesOfKind({ resource, shortNames }: KindDefinition): readonly string[] {
  return [resource.plural, resource.kind.toLowerCase(), ...shortNames];
}

function namesOfDefinition({ spec }: KubeObject): readonly string[] {
  const { plural, singular, shortNames } = fieldsOf(fieldsOf(spec)['names']);
  return [textOf(plural), textOf(singular), ...listOf(shortNames).map(textOf)].filter(
    (name) => name !== '',
  );
}
