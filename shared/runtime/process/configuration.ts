/**
 * Environment settings of a process from one TypeBox schema: parsing, defaults and documentation derive from
 * it. Every fault is reported at once (as in JobSet's validator).
 */
import type { Static, TObject, TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { MillraceError } from '#shared/domain/errors.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';

/**
 * Keywords of a property's schema. `env` names its variables; the first one that is set counts. `secret`
 * keeps the value out of every message.
 */
export interface SettingKeywords {
  readonly env: readonly [string, ...string[]];
  readonly secret?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  readonly name: string;
  readonly schema: SettingSchema;
  readonly required: boolean;
}

interface SettingSchema extends SettingKeywords {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly { readonly const?: unknown }[];
}

/**
 * The configuration in the environment. An empty variable counts as unset. Throws MR_CONFIG_INVALID with
 * every fault, including unknown `MILLRACE_*` variables.
 */
export function readConfiguration<Schema extends TObject>(
  schema: Schema,
  environment: Environment,
): Static<Schema> {
  const settings = settingsOf(schema);
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const setting of settings) {
    const read = readSetting(setting, environment);
    if (read.fault !== undefined) faults.push(read.fault);
    else if (read.value !== undefined) setOwnMember(values, setting.name, read.value);
  }
  faults.push(...unknownVariables(settings, environment));
  if (faults.length > 0)
    throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
  return values as Static<Schema>;
}

/** One line per setting for `--help` and the reference: name, type, default, meaning. */
export function describeConfiguration(schema: TObject): string {
  return settingsOf(schema).map(describeSetting).join('\n');
}

function settingsOf(schema: TObject): readonly Setting[] {
  const required = new Set<string>(schema.required);
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => ({
    name,
    schema: property as SettingSchema,
    required: required.has(name),
  }));
}

interface ReadSetting {
  readonly value?: unknown;
  readonly fault?: string;
}

function readSetting({ schema, required }: Setting, environment: Environment): ReadSetting {
  const variable = schema.env.find((name) => (ownMember(environment, name) ?? '') !== '');
  if (variable === undefined) {
    if (schema.default !== undefined) return { value: schema.default };
    return required ? { fault: `${schema.env.join(' or ')} is required` } : {};
  }
  const text = ownMember(environment, variable) ?? '';
  const value = parseText(schema, text);
  const [error] = Errors(schema as TSchema, value);
  if (error === undefined) return { value };
  const shown = schema.secret === true ? 'its value' : JSON.stringify(text);
  const demand = error.keyword === 'enum' ? `must be one of ${typeOf(schema)}` : error.message;
  return { fault: `${variable}: ${shown} ${demand}` };
}

/** Text that is not a number or boolean stays text, and the schema refuses it. */
function parseText(schema: SettingSchema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

/** A misspelt setting would otherwise silently have its default. */
function unknownVariables(settings: readonly Setting[], environment: Environment): string[] {
  const known = new Set(settings.flatMap(({ schema }) => schema.env));
  return (
    Object.keys(environment)
      .filter((name) => name.startsWith('MILLRACE_') && !known.has(name))
      // Variables of the test suites, which the processes that they start inherit.
      .filter((name) => !name.startsWith('MILLRACE_TEST_'))
      .filter((name) => !isServiceLink(name, environment))
      .sort()
      .map((name) => `${name} is not a setting of this process`)
  );
}

/**
 * Kubernetes sets variables for every Service of the namespace; those for a Service millrace-x are not
 * settings.
 */
function isServiceLink(name: string, environment: Environment): boolean {
  const service = /^(.+?)_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_.+)?$/.exec(name)?.[1];
  return service !== undefined && ownMember(environment, `${service}_SERVICE_HOST`) !== undefined;
}

function describeSetting({ schema, required }: Setting): string {
  const fallback =
    schema.default === undefined
      ? required
        ? 'required'
        : 'optional'
      : `default ${JSON.stringify(schema.default)}`;
  const alias = schema.env.slice(1).map((name) => `, or ${name}`);
  return `${schema.env[0]}${alias.join('')} (${typeOf(schema)}, ${fallback}): ${schema.description ?? ''}`;
}

function typeOf(schema: SettingSchema): string {
  const choices = schema.enum ?? schema.anyOf?.map((choice) => choice.const);
  return choices?.map(String).join('|') ?? schema.type ?? 'text';
}
