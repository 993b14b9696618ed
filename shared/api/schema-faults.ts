/** The faults of a compiled schema in Millrace's words. */
import { Settings } from 'typebox/system';
import { Check, Compile, Errors, type Validator } from 'typebox/schema';
import type { TLocalizedValidationError } from 'typebox/error';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { didYouMean, found, memberPath, type Fault } from './fault.ts';
import { listFaults } from './list-faults.ts';
import { schemaOf, withoutNulls } from './nulls.ts';
import { strictSchema } from './strict-schema.ts';

// The library reports eight faults by default; users should see all of them at once.
Settings.Set({ maxErrors: 256 });

export interface SchemaCheck {
  /** The value without nulls that count as absent. */
  readonly normalize: (value: Json) => Json;
  /** Every fault of a normalized value; empty if there is none. */
  readonly faults: (value: Json) => readonly Fault[];
}

/**
 * The first check interprets the schema: compiling costs as much as ten checks, and a command often makes one. It
 * is compiled for the second check. From then on a valid object takes microseconds.
 */
export function schemaCheck(schema: JsonObject): SchemaCheck {
  let strict: JsonObject | undefined;
  let compiled: Validator | undefined;
  return {
    normalize: (value) => withoutNulls(schema, value),
    faults: (value) => {
      if (strict !== undefined) compiled ??= Compile(strict);
      strict ??= strictSchema(schema);
      const isValid = compiled === undefined ? Check(strict, value) : compiled.Check(value);
      if (isValid) return listFaults(schema, value);
      const [, errors] = compiled === undefined ? Errors(strict, value) : compiled.Errors(value);
      return errors.flatMap((error) => faultsOf(error, schema, value));
    },
  };
}

function faultsOf(
  error: TLocalizedValidationError,
  schema: JsonObject,
  root: Json,
): readonly Fault[] {
  const at = locate(error.instancePath, schema, root);
  const { path, value } = at;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        path: memberPath(path, name),
        message: 'required',
      }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => unknownField(at, name));
    case 'boolean':
      // Repeats the fault of additionalProperties.
      return [];
    case 'enum':
      return [
        { path, message: `${found(value)} is none of ${allowed(error.params.allowedValues)}` },
      ];
    default:
      return [{ path, message: `${error.message}, found ${found(value)}` }];
  }
}

function unknownField(at: Located, name: string): Fault {
  const known = Object.keys((at.schema?.['properties'] ?? {}) as JsonObject);
  const near = didYouMean(name, known);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return { path: memberPath(at.path, name), message: `unknown field${hint}` };
}

const allowed = (values: readonly unknown[]) => values.map(String).join(', ');

interface Located {
  readonly path: string;
  readonly value: Json | undefined;
  readonly schema: JsonObject | undefined;
}

/** Follows a JSON pointer through value and schema. */
function locate(pointer: string, schema: JsonObject, root: Json): Located {
  const segments = pointer.split('/').slice(1).map(unescapePointer);
  return segments.reduce<Located>(
    ({ path, value, schema: current }, segment) =>
      Array.isArray(value)
        ? {
            path: memberPath(path, Number(segment)),
            value: (value as readonly Json[])[Number(segment)],
            schema: current?.['items'] as JsonObject | undefined,
          }
        : {
            path: memberPath(path, segment),
            value: ownMember(value as JsonObject | undefined, segment),
            schema: current === undefined ? undefined : schemaOf(current, segment),
          },
    { path: '', value: root, schema },
  );
}

const unescapePointer = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~');
