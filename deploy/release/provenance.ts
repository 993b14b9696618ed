/**
 * The provenance of a release, for people and scanners: an in-toto Statement
 * (https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md) with SLSA provenance
 * (https://slsa.dev/provenance/v1). It is not signed and contains no time, so that it is reproducible.
 */
import type { Source } from './obstacles.ts';

export interface Subject {
  /** Path in the release folder, or the reference of an image. */
  readonly name: string;
  /** Digest of the file or of the image's manifest, in hex digits. */
  readonly sha256: string;
}

/** An input of the release besides the commit. */
export interface Ingredient extends Subject {
  /** The distribution package with its version; absent if it has none. */
  readonly package?: string;
}

export interface Origin {
  readonly source: Source;
  /** Options of the command. */
  readonly parameters: Readonly<Record<string, boolean | string | null>>;
  readonly ingredients: readonly Ingredient[];
  /** URI of the builder, and the versions of the tools. */
  readonly builder: { readonly id: string; readonly version: Readonly<Record<string, string>> };
}

export function provenanceOf(
  subjects: readonly Subject[],
  { source, parameters, ingredients, builder }: Origin,
): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(resource),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://millrace.dev/build-types/release/v1',
        externalParameters: parameters,
        resolvedDependencies: [
          {
            name: 'source',
            digest: { gitCommit: source.revision },
            ...(source.changed.length === 0 ? {} : { annotations: { changed: source.changed } }),
          },
          ...ingredients.map((each) => ({
            ...resource(each),
            ...(each.package === undefined ? {} : { annotations: { package: each.package } }),
          })),
        ],
      },
      runDetails: { builder },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

function resource({ name, sha256 }: Subject) {
  return { name, digest: { sha256 } };
}
