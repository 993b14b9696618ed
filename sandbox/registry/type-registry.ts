/** The types that the sandbox serves at the moment: built-in ones, and those of CustomResourceDefinitions. */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { omitting } from '../apimachinery/json-value.ts';
import type { ResourceType } from './resource-type.ts';

/**
 * The stored form of the objects of a type. All versions of a custom resource are stored as one, and Events of both
 * groups as core Events.
 */
export interface Storage {
  readonly type: ResourceType;
  /** Both return the same reference when nothing changes. */
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (object: KubeObject) => KubeObject;
}

/** The types of one definition, which are replaced as a whole when it changes. */
export interface Registration {
  readonly type: ResourceType;
  readonly storage: Storage;
}

type Path = Pick<Resource, 'group' | 'version' | 'plural'>;

export class TypeRegistry {
  readonly #sources = new Map<string, readonly Registration[]>();
  /** By plural, because few types share one. No key has to be built for a look-up. */
  readonly #byPlural = new Map<string, Registration[]>();
  readonly #byKind = new Map<string, ResourceType>();
  readonly #listeners = new Set<() => void>();
  #all: readonly ResourceType[] = [];

  /** `version` of a group as in the path. The core group is the empty text. */
  byPath(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#registered({ group, version, plural })?.type;
  }

  byKind(group: string, version: string, kind: string): ResourceType | undefined {
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  /** Built-in types first, then custom ones in the order of their registration. */
  all(): readonly ResourceType[] {
    return this.#all;
  }

  /** The latest state of a type. A caller may hold one from before a change of its definition. */
  current(path: Path): ResourceType | undefined {
    return this.#registered(path)?.type;
  }

  /** The storage of this type. Undefined when it is no longer served. */
  storageOf(path: Path): Storage | undefined {
    return this.#registered(path)?.storage;
  }

  /** Replaces the types of one source, which is the name of a definition or of the built-in kinds. */
  register(source: string, registrations: readonly Registration[]): void {
    this.#sources.set(source, registrations);
    this.#rebuild();
  }

  unregister(source: string): void {
    if (this.#sources.delete(source)) this.#rebuild();
  }

  /** Called after each change of the served types. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #rebuild(): void {
    const registrations = [...this.#sources.values()].flat();
    this.#byPlural.clear();
    this.#byKind.clear();
    for (const registration of registrations) {
      const { type } = registration;
      const others = this.#byPlural.get(type.plural)?.filter((other) => !isAt(other, type)) ?? [];
      this.#byPlural.set(type.plural, [...others, registration]);
      this.#byKind.set(`${type.group}/${type.version}/${type.kind}`, type);
    }
    this.#all = registrations.map(({ type }) => type);
    for (const listener of this.#listeners) listener();
  }

  #registered(path: Path): Registration | undefined {
    return this.#byPlural.get(path.plural)?.find((registration) => isAt(registration, path));
  }
}

function isAt({ type }: Registration, { group, version, plural }: Path): boolean {
  return type.plural === plural && type.group === group && type.version === version;
}

/** The storage of a type that is stored as served. */
export function storedAsIs(type: ResourceType): Registration {
  const same = (object: KubeObject): KubeObject => object;
  return { type, storage: { type, toStored: same, fromStored: same } };
}

/** The same type without its schema: its objects are not pruned, defaulted or checked by it. */
export function unchecked({ type, storage }: Registration): Registration {
  return {
    type: omitting(type, 'schema'),
    storage: { ...storage, type: omitting(storage.type, 'schema') },
  };
}
