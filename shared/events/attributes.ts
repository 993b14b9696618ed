/** The type system and context attributes of CloudEvents 1.0.2, checked as the specification says. */
import type { CloudEvent } from './cloud-event.ts';
import { malformed } from './malformed.ts';
import { parseMediaType } from './media-type.ts';

/** Longest value of one attribute, in UTF-16 units. The specification guarantees 64 KB in total. */
const maxValueLength = 8192;

/** Attribute names that the specification defines. */
export const contextAttributes = [
  'id',
  'source',
  'type',
  'specversion',
  'time',
  'subject',
  'datacontenttype',
  'dataschema',
] as const;
type ContextAttribute = (typeof contextAttributes)[number];

export type Attributes = Omit<CloudEvent, 'data'>;

/**
 * Throws MR_EVENT_MALFORMED unless the name is lower-case letters and digits. More than 20 characters are only
 * discouraged.
 */
export function requireAttributeName(name: string): void {
  if (!/^[a-z0-9]+$/.test(name))
    malformed(`attribute name "${name}" is not lower-case alphanumeric`);
  if (name === 'data') malformed('"data" is not an attribute name');
}

/** Checks attributes from their text values. Throws MR_EVENT_MALFORMED with the first fault. */
export function parseAttributes(values: ReadonlyMap<string, string>): Attributes {
  for (const [name, value] of values) requireText(name, value);
  const specversion = required(values, 'specversion');
  if (specversion !== '1.0') malformed(`specversion is "${specversion}", only "1.0" is taken`);
  return {
    id: required(values, 'id'),
    source: uriReference('source', required(values, 'source')),
    type: required(values, 'type'),
    ...optional(values, 'time', requireTimestamp),
    ...optional(values, 'subject'),
    ...optional(values, 'datacontenttype', (value) => parseMediaType(value)),
    ...optional(values, 'dataschema', requireUri),
    extensions: extensionsOf(values),
  };
}

function required(values: ReadonlyMap<string, string>, name: ContextAttribute): string {
  const value = values.get(name);
  if (value === undefined) return malformed(`${name} is missing`);
  return nonEmpty(name, value);
}

function optional<Name extends ContextAttribute>(
  values: ReadonlyMap<string, string>,
  name: Name,
  check?: (value: string) => unknown,
): Partial<Record<Name, string>> {
  const value = values.get(name);
  if (value === undefined) return {};
  check?.(nonEmpty(name, value));
  return { [name]: nonEmpty(name, value) } as Partial<Record<Name, string>>;
}

function nonEmpty(name: string, value: string): string {
  return value === '' ? malformed(`${name} is empty`) : value;
}

function extensionsOf(values: ReadonlyMap<string, string>): Record<string, string> {
  const known = new Set<string>(contextAttributes);
  return Object.fromEntries([...values].filter(([name]) => !known.has(name)));
}

/** Spec section 3.1, String: no control characters, no lone surrogates, no noncharacters. */
function requireText(name: string, value: string): void {
  if (value.length > maxValueLength) malformed(`${name} is longer than ${maxValueLength}`);
  // Almost every value is plain ASCII, so a cheap test comes first.
  if (/^[\x20-\x7e]*$/.test(value)) return;
  if (/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(value)) {
    malformed(`${name} has a character that the specification excludes`);
  }
}

const uriCharacters = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

function uriReference(name: string, value: string): string {
  return uriCharacters.test(value) ? value : malformed(`${name} is not a URI-reference`);
}

function requireUri(value: string): void {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(value) || !uriCharacters.test(value)) {
    malformed('dataschema is not an absolute URI');
  }
}

const timestamp =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function requireTimestamp(value: string): void {
  const [, year, month, day] =
    timestamp.exec(value) ?? malformed('time is not an RFC 3339 timestamp');
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) {
    malformed('time names a day that does not exist');
  }
}
