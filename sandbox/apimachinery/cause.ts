/** StatusCauses as k8s.io/apimachinery/pkg/util/validation/field words them. */
import type { Json } from '#shared/domain/objects.ts';
import type { StatusCause } from './status-error.ts';
import { goJson, goNumber, goQuote } from './go-text.ts';

/** A value that the message leaves out. */
export const omitted = Symbol('omitted');

type Shown = Json | undefined | typeof omitted;

/** `path` is empty for the object itself, which the API server names `<nil>`. */
function cause(reason: string, path: string, words: string, detail: string): StatusCause {
  const message = detail === '' ? words : `${words}: ${detail}`;
  return { reason, message, field: path === '' ? '<nil>' : path };
}

export function invalid(path: string, value: Shown, detail: string): StatusCause {
  return cause('FieldValueInvalid', path, withValue('Invalid value', value), detail);
}

export function typeInvalid(path: string, value: Shown, detail: string): StatusCause {
  return cause('FieldValueTypeInvalid', path, withValue('Invalid value', value), detail);
}

export function required(path: string, detail = ''): StatusCause {
  return cause('FieldValueRequired', path, 'Required value', detail);
}

export function forbidden(path: string, detail: string): StatusCause {
  return cause('FieldValueForbidden', path, 'Forbidden', detail);
}

export function duplicate(path: string, value: Shown): StatusCause {
  return cause('FieldValueDuplicate', path, withValue('Duplicate value', value), '');
}

export function notSupported(path: string, value: Shown, allowed: readonly Json[]): StatusCause {
  const texts = allowed.map((item) => goQuote(typeof item === 'string' ? item : goJson(item)));
  const words = withValue('Unsupported value', value);
  return cause(
    'FieldValueNotSupported',
    path,
    words,
    texts.length === 0 ? '' : `supported values: ${texts.join(', ')}`,
  );
}

/** `limit` counts characters, although the API server's message says bytes. */
export function tooLong(path: string, limit: number): StatusCause {
  const unit = limit === 1 ? 'byte' : 'bytes';
  return cause('FieldValueTooLong', path, 'Too long', `may not be more than ${limit} ${unit}`);
}

export function tooMany(path: string, actual: number, limit: number): StatusCause {
  const unit = limit === 1 ? 'item' : 'items';
  const words = withValue('Too many', actual);
  return cause('FieldValueTooMany', path, words, `must have at most ${limit} ${unit}`);
}

/** After faults of these kinds the API server evaluates no CEL rules. */
export function isBlocking({ reason }: StatusCause): boolean {
  return blocking.has(reason);
}

const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function withValue(words: string, value: Shown): string {
  if (value === omitted) return words;
  if (typeof value === 'string') return `${words}: ${goQuote(value)}`;
  if (typeof value === 'number') return `${words}: ${goNumber(value)}`;
  return `${words}: ${goJson(value)}`;
}
