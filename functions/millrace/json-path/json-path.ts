/**
 * The template of `-o jsonpath=...`: text with actions in braces, as `kubectl get` accepts it
 * (kubernetes.io/docs/reference/kubectl/jsonpath).
 *
 * jsonpath-1 `$` and `@` are the current value: the whole object, and within `range` the current item.
 * jsonpath-2 A missing field, and an index beyond the end, find nothing. kubectl refuses the index.
 * jsonpath-3 Numbers are compared as numbers. kubectl refuses to compare an integer with a fraction.
 */
import { stableJson } from '#shared/domain/hash.ts';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/** Returns what one step of a path finds in a value. */
type Select = (value: Json) => readonly Json[];

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly select: Select }
  | { readonly kind: 'range'; readonly select: Select; readonly parts: readonly Part[] };

/** Renders a value by the template. */
export type JsonPathTemplate = (value: Json) => string;

/** Why and where a template is invalid. */
export class JsonPathFault extends Error {
  override readonly name = 'JsonPathFault';
}

/** Throws JsonPathFault. */
export function parseJsonPath(template: string): JsonPathTemplate {
  const reader = new Reader(template);
  const parts = partsOf(reader, false);
  return (value) => rendered(parts, value);
}

function rendered(parts: readonly Part[], value: Json): string {
  const texts = parts.map((part) => {
    if (part.kind === 'text') return part.text;
    const found = part.select(value);
    if (part.kind === 'path') return found.map(printed).join(' ');
    return found.map((each) => rendered(part.parts, each)).join('');
  });
  return texts.join('');
}

function printed(value: Json): string {
  return typeof value === 'string' ? value : stableJson(value);
}

function partsOf(reader: Reader, within: boolean): readonly Part[] {
  const parts: Part[] = [];
  for (;;) {
    const text = reader.match(/[^{]+/y);
    if (text !== undefined) parts.push({ kind: 'text', text });
    if (reader.atEnd()) {
      if (within) throw reader.fault('{end} of a {range} is missing');
      return parts;
    }
    reader.expect('{');
    reader.blanks();
    if (reader.match(/end\s*\}/y) !== undefined) {
      if (!within) throw reader.fault('{end} without a {range}');
      return parts;
    }
    if (reader.match(/range\s+/y) === undefined) {
      parts.push(...actionsIn(reader));
    } else {
      const select = pathIn(reader);
      reader.blanks();
      reader.expect('}');
      parts.push({ kind: 'range', select, parts: partsOf(reader, true) });
    }
  }
}

/** Paths and quoted texts, one after the other, up to the closing brace. */
function actionsIn(reader: Reader): readonly Part[] {
  const actions: Part[] = [];
  do {
    const text = reader.quoted();
    actions.push(
      text === undefined ? { kind: 'path', select: pathIn(reader) } : { kind: 'text', text },
    );
    reader.blanks();
    if (reader.atEnd()) throw reader.fault('} is missing');
  } while (reader.match(/\}/y) === undefined);
  return actions;
}

/** `$.a[0]..b`: each step applies to what the earlier steps found. */
function pathIn(reader: Reader): Select {
  const steps: Select[] = [];
  const start = reader.match(/[$@]/y);
  for (;;) {
    const step = stepIn(reader);
    if (step !== undefined) steps.push(step);
    else if (start !== undefined || steps.length > 0 || reader.sees('}')) break;
    else if (reader.match(/\./y) === undefined) throw reader.fault('a path begins with a dot');
  }
  return (value) => steps.reduce((found: readonly Json[], step) => found.flatMap(step), [value]);
}

function stepIn(reader: Reader): Select | undefined {
  if (reader.sees('[')) return bracketIn(reader);
  if (reader.match(/\.\./y) !== undefined) {
    const select = reader.sees('[') ? bracketIn(reader) : nameIn(reader);
    return (value) => withAllBelow(value).flatMap(select);
  }
  if (reader.match(/\.(?=[^\s}\].,)])/y) === undefined) return undefined;
  return reader.sees('[') ? bracketIn(reader) : nameIn(reader);
}

function nameIn(reader: Reader): Select {
  const name = reader.match(/(?:\\.|[^\s.[\](){},=!<>'"\\])+/y);
  if (name === undefined) throw reader.fault('the name of a field is missing');
  return name === '*' ? membersOf : memberOf(unescaped(name));
}

/** `[*]`, `[0,2]`, `[-1]`, `[1:3:2]`, `['a','b']`, `[?(@.a=="b")]`. */
function bracketIn(reader: Reader): Select {
  reader.expect('[');
  reader.blanks();
  const select = reader.match(/\?\(/y) === undefined ? choicesIn(reader) : filterIn(reader);
  reader.blanks();
  reader.expect(']');
  return select;
}

function choicesIn(reader: Reader): Select {
  const choices: Select[] = [];
  do {
    reader.blanks();
    choices.push(choiceIn(reader));
    reader.blanks();
  } while (reader.match(/,/y) !== undefined);
  return (value) => choices.flatMap((choice) => choice(value));
}

function choiceIn(reader: Reader): Select {
  const name = reader.quoted();
  if (name !== undefined) return memberOf(name);
  if (reader.match(/\*/y) !== undefined) return membersOf;
  const slice = reader.match(/-?\d*:-?\d*(?::\d+)?/y);
  if (slice !== undefined) return sliceOf(reader, slice);
  const index = reader.match(/-?\d+/y);
  if (index === undefined) throw reader.fault('an index, a slice or a quoted name is missing');
  return (value) => {
    const item = isList(value) ? value.at(Number(index)) : undefined;
    return item === undefined ? [] : [item];
  };
}

function sliceOf(reader: Reader, text: string): Select {
  const [from, to, step = 1] = text
    .split(':')
    .map((part) => (part === '' ? undefined : Number(part)));
  if (step === 0) throw reader.fault('the step of a slice is above 0');
  return (value) =>
    isList(value) ? value.slice(from, to).filter((_, index) => index % step === 0) : [];
}

type Operand = (value: Json) => Json | undefined;

const comparisons: Readonly<Record<string, (left: Json, right: Json) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<=': ordered((left, right) => left <= right),
  '>=': ordered((left, right) => left >= right),
  '<': ordered((left, right) => left < right),
  '>': ordered((left, right) => left > right),
};

/** Selects the list items that satisfy the condition. */
function filterIn(reader: Reader): Select {
  reader.blanks();
  const left = operandIn(reader);
  reader.blanks();
  const operator = reader.match(/==|!=|<=|>=|<|>/y);
  const compare = operator === undefined ? undefined : ownMember(comparisons, operator);
  reader.blanks();
  const right = compare === undefined ? undefined : operandIn(reader);
  reader.blanks();
  reader.expect(')');
  const isMeant = (item: Json): boolean => {
    const first = left(item);
    if (compare === undefined || right === undefined) return first !== undefined;
    const second = right(item);
    return first !== undefined && second !== undefined && compare(first, second);
  };
  return (value) => (isList(value) ? value.filter(isMeant) : []);
}

function operandIn(reader: Reader): Operand {
  const text = reader.quoted();
  if (text !== undefined) return () => text;
  const literal = reader.match(/-?\d+(?:\.\d+)?|true|false|null/y);
  if (literal !== undefined) {
    const value = JSON.parse(literal) as Json;
    return () => value;
  }
  const select = pathIn(reader);
  return (value) => select(value)[0];
}

/** Compares two numbers or two strings. */
function ordered(holds: (left: string | number, right: string | number) => boolean) {
  return (left: Json, right: Json): boolean => {
    if (typeof left === 'number' && typeof right === 'number') return holds(left, right);
    return typeof left === 'string' && typeof right === 'string' && holds(left, right);
  };
}

function memberOf(name: string): Select {
  return (value) => {
    const member = isObject(value) ? ownMember(value, name) : undefined;
    return member === undefined ? [] : [member];
  };
}

function membersOf(value: Json): readonly Json[] {
  if (isList(value)) return value;
  return isObject(value) ? Object.values(value).filter((member) => member !== undefined) : [];
}

function withAllBelow(value: Json): readonly Json[] {
  return [value, ...membersOf(value).flatMap(withAllBelow)];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replace(
    /\\(.)/gs,
    (_, character: string) => ownMember(escapes, character) ?? character,
  );
}

/** Reads the template from left to right. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** `pattern` has to be sticky. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  quoted(): string | undefined {
    const text = this.match(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/sy);
    return text === undefined ? undefined : unescaped(text.slice(1, -1));
  }

  blanks(): void {
    this.match(/\s+/y);
  }

  expect(text: string): void {
    if (!this.sees(text)) throw this.fault(`${text} is missing`);
    this.#at += text.length;
  }

  fault(words: string): JsonPathFault {
    const rest = this.#text.slice(this.#at, this.#at + 12);
    const place = rest === '' ? 'at the end' : `at "${rest}"`;
    return new JsonPathFault(`${words} ${place}`);
  }
}
