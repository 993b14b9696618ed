/** The patterns of a definition's schema (apiextensions validation, validateCustomResourceDefinitionOpenAPIV3Schema). */
import { invalid } from '../../apimachinery/cause.ts';
import { PatternFault, tryPattern } from '../../schema/pattern.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';

/** Reports each pattern that Go cannot compile, such as a lookahead. */
export function patternFaults(schema: Schema, path: string): readonly StatusCause[] {
  const { pattern, properties = {}, items, additionalProperties, not } = schema;
  const found = pattern === undefined ? undefined : tryPattern(pattern);
  const own =
    found instanceof PatternFault
      ? [
          invalid(
            `${path}.pattern`,
            pattern ?? '',
            `must be a valid regular expression, but isn't: ${found.message}`,
          ),
        ]
      : [];
  const parts: (readonly [Schema | boolean | undefined, string])[] = [
    [additionalProperties, `${path}.additionalProperties`],
    ...Object.entries(properties).map(
      ([name, part]) => [part, `${path}.properties[${name}]`] as const,
    ),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
      (schema[name] ?? []).map((part, at) => [part, `${path}.${name}[${at}]`] as const),
    ),
    [not, `${path}.not`],
    [items, `${path}.items`],
  ];
  const below = parts.flatMap(([part, at]) =>
    typeof part === 'object' ? patternFaults(part, at) : [],
  );
  return [...own, ...below];
}
