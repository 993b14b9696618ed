/**
 * The published OpenAPI documents. They are made on request, and again when other types are served.
 */
import { createHash } from 'node:crypto';
import type { TypeRegistry } from '../../registry/type-registry.ts';
import { servedGroups, type ServedGroup } from '../discovery.ts';
import { openapiV2 } from './v2.ts';
import { openapiV2Protobuf } from './v2-protobuf.ts';
import { openapiV3 } from './v3.ts';

export interface PublishedDocument {
  readonly body: Buffer;
  /** Hash of the body, in capital letters as the API server's. */
  readonly hash: string;
}

export class Documents {
  readonly #types: TypeRegistry;
  readonly #made = new Map<string, PublishedDocument>();
  #groups: readonly ServedGroup[] | undefined;

  constructor(types: TypeRegistry) {
    this.#types = types;
    types.onChange(() => {
      this.#groups = undefined;
      this.#made.clear();
    });
  }

  groups(): readonly ServedGroup[] {
    this.#groups ??= servedGroups(this.#types.all());
    return this.#groups;
  }

  /** The paths of all documents. Clients cache a document by its hash. */
  v3Index(): PublishedDocument {
    return this.#document('v3', () => {
      const served = this.groups().flatMap(({ name, versions }) =>
        versions.map(({ version }) => (name === '' ? `api/${version}` : `apis/${name}/${version}`)),
      );
      const paths = served.map((path) => {
        const serverRelativeURL = `/openapi/v3/${path}?hash=${this.v3(path)?.hash ?? ''}`;
        return [path, { serverRelativeURL }] as const;
      });
      return JSON.stringify({ paths: Object.fromEntries(paths) });
    });
  }

  /** `path`: as `api/v1` or `apis/batch/v1`. Undefined when nothing is served there. */
  v3(path: string): PublishedDocument | undefined {
    const [root, ...rest] = path.split('/');
    const [group = '', version] = root === 'api' ? ['', ...rest] : rest;
    const served = this.groups()
      .find(({ name }) => name === group)
      ?.versions.find((known) => known.version === version);
    if (served === undefined) return undefined;
    return this.#document(`v3/${path}`, () => JSON.stringify(openapiV3(served)));
  }

  v2Json(): PublishedDocument {
    return this.#document('v2', () => JSON.stringify(openapiV2(this.groups())));
  }

  v2Protobuf(): PublishedDocument {
    return this.#document('v2.pb', () => openapiV2Protobuf(openapiV2(this.groups())));
  }

  /** Any other document that depends only on the served types. */
  derived(name: string, make: (groups: readonly ServedGroup[]) => object): PublishedDocument {
    return this.#document(`derived/${name}`, () => JSON.stringify(make(this.groups())));
  }

  #document(name: string, make: () => string | Uint8Array): PublishedDocument {
    let document = this.#made.get(name);
    if (document === undefined) {
      const body = Buffer.from(make() as string);
      const hash = createHash('sha512').update(body).digest('hex').toUpperCase();
      document = { body, hash };
      this.#made.set(name, document);
    }
    return document;
  }
}
