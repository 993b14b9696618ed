import type { Json } from '#shared/domain/objects.ts';

/**
 * The static type of a schema, readonly at every depth. JSON of unknown shape is already readonly
 * and stays as it is, which also ends the recursion.
 */
export type DeepReadonly<Type> = Json extends Type
  ? Type
  : Type extends readonly (infer Element)[]
    ? readonly DeepReadonly<Element>[]
    : Type extends object
      ? { readonly [Key in keyof Type]: DeepReadonly<Type[Key]> }
      : Type;
