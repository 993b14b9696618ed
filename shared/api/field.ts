/**
 * Documentation and keywords of one schema field, so that every field reads the same way. Keywords that
 * begin with `x-millrace` are not served; the kind's admission policy is made from them.
 */

/** A rule about the value that it is attached to. */
export interface CelRule {
  /**
   * Sees the value as `self`. On the whole object it also sees the old object of an update, as
   * `oldSelf`.
   */
  readonly rule: string;
  readonly message: string;
  /** A CEL expression of type string. `message` is used if it fails. */
  readonly messageExpression?: string;
}

export interface Documentation {
  /** The purpose of the field, in one or two sentences. */
  readonly says: string;
  /** Unit of a number, for example "seconds". */
  readonly unit?: string;
  /**
   * The meaning of an absent field that has no default in the API server. Inside a list there must be
   * no default: `kubectl apply` of an unchanged manifest would patch the whole list each time.
   */
  readonly absentMeans?: string | number;
  /** A literal YAML value, on one line. */
  readonly example?: string;
}

export type Keywords = {
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  /** Absent: a list is atomic. */
  readonly 'x-kubernetes-list-type'?: 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-embedded-resource'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-millrace-rules'?: readonly CelRule[];
  /** No two items of the list are equal in these members. Empty: no two items are equal. */
  readonly 'x-millrace-unique'?: readonly string[];
};

export type FieldOptions = Keywords & { readonly description: string };

/**
 * Schema options with one description of sentence, unit, default and example, because `kubectl explain`
 * prints only the description.
 */
export function field(documentation: Documentation, keywords: Keywords = {}): FieldOptions {
  const { says, unit, absentMeans, example } = documentation;
  const fallback = keywords.default ?? absentMeans;
  const parts = [
    says,
    unit === undefined ? undefined : `Unit: ${unit}.`,
    fallback === undefined ? undefined : `Default: ${JSON.stringify(fallback)}.`,
    example === undefined ? undefined : `Example: ${example}`,
  ];
  return { ...keywords, description: parts.filter((part) => part !== undefined).join(' ') };
}
