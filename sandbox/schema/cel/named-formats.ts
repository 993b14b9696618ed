/** `format.dns1123Label().validate(text)` (apiserver pkg/cel/library/format.go). */
import { hasFormat } from '../formats.ts';
import { parseRequestUri } from '../url.ts';
import { goQuote } from '../../apimachinery/go-text.ts';
import { noSuchOverload } from './cel-fault.ts';
import { CelObject, ListValue, none, Optional, type CelValue } from './cel-value.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const value = `(${qualified})?`;

/** A pattern with its words (apimachinery util/validation). */
interface Rule {
  readonly pattern: string;
  readonly limit: number;
  readonly words: string;
  /** What is wrong for its dots alone. */
  readonly dotted?: RegExp;
}

const regexError = (words: string, pattern: string, ...examples: readonly string[]) => {
  const list = examples.map((example, at) => `${at > 0 ? ' or ' : ''}'${example}', `).join('');
  return `${words} (e.g. ${list}regex used for validation is '${pattern}')`;
};
const dns1123Label: Rule = {
  pattern: label,
  limit: 63,
  dotted: new RegExp(`^${subdomain}$`),
  words: regexError(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    label,
    'my-name',
    '123-abc',
  ),
};
const dns1123Subdomain: Rule = {
  pattern: subdomain,
  limit: 253,
  words: regexError(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    subdomain,
    'example.com',
  ),
};
const dns1035Label: Rule = {
  pattern: label1035,
  limit: 63,
  words: regexError(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    label1035,
    'my-name',
    'abc-123',
  ),
};
const namePart: Rule = {
  pattern: qualified,
  limit: 63,
  words: regexError(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    qualified,
    'MyName',
    'my.name',
    '123-abc',
  ),
};
const labelValue: Rule = {
  pattern: value,
  limit: 63,
  words: regexError(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    value,
    'MyValue',
    'my_value',
    '12345',
  ),
};

type Judge = (text: string) => readonly string[];

const judges: Readonly<Record<string, Judge>> = {
  dns1123Label: by(dns1123Label),
  dns1123Subdomain: by(dns1123Subdomain),
  dns1035Label: by(dns1035Label),
  dns1123LabelPrefix: byPrefix(dns1123Label),
  dns1123SubdomainPrefix: byPrefix(dns1123Subdomain),
  dns1035LabelPrefix: byPrefix(dns1035Label),
  labelValue: by(labelValue),
  qualifiedName: judgeQualifiedName,
  uri: (text) => {
    const uri = parseRequestUri(text);
    return typeof uri === 'string' ? [`parse ${goQuote(text)}: ${uri}`] : [];
  },
  uuid: byFormat('uuid', 'does not match the UUID format'),
  byte: byFormat('byte', 'invalid base64'),
  date: byFormat('date', 'invalid date'),
  datetime: byFormat('datetime', 'invalid datetime'),
};

export class NamedFormat extends CelObject {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly judge: Judge;

  constructor(name: string, judge: Judge) {
    super();
    this.name = name;
    this.judge = judge;
  }

  equals(other: CelObject): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** `format.dns1123Label()` and its kin. */
export const formatFunctions: Readonly<Record<string, () => CelValue>> = Object.fromEntries(
  Object.entries(judges).map(([name, judge]) => {
    const format = new NamedFormat(name, judge);
    return [`format.${name}`, () => format];
  }),
);

export function namedFormat(name: CelValue): CelValue {
  if (typeof name !== 'string') throw noSuchOverload();
  const format = Object.hasOwn(judges, name) ? judges[name] : undefined;
  return format === undefined ? none : new Optional(new NamedFormat(name, format));
}

/** None when the text is right, else what is wrong with it. */
export function validate(format: CelValue, text?: CelValue): CelValue {
  if (!(format instanceof NamedFormat) || typeof text !== 'string') throw noSuchOverload();
  const faults = format.judge(text);
  return faults.length === 0 ? none : new Optional(new ListValue(faults));
}

const expressions = new Map<string, RegExp>();

function faultsOf({ pattern, limit, words, dotted }: Rule, text: string): readonly string[] {
  let expression = expressions.get(pattern);
  if (expression === undefined) {
    expression = new RegExp(`^${pattern}$`);
    expressions.set(pattern, expression);
  }
  const faults: string[] = [];
  if (Buffer.byteLength(text) > limit) faults.push(`must be no more than ${limit} bytes`);
  if (!expression.test(text))
    faults.push(dotted?.test(text) === true ? 'must not contain dots' : words);
  return faults;
}

function by(rule: Rule): Judge {
  return (text) => faultsOf(rule, text);
}

/** A name that something is appended to may end in a dash. */
function byPrefix(rule: Rule): Judge {
  return (text) => faultsOf(rule, /.-$/s.test(text) ? `${text.slice(0, -2)}a` : text);
}

function byFormat(format: string, words: string): Judge {
  return (text) => (hasFormat(text, format) ? [] : [words]);
}

function judgeQualifiedName(text: string): readonly string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    const prefixed = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${namePart.words}${prefixed}`];
  }
  const faults: string[] = [];
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, text];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    faults.push(...faultsOf(dns1123Subdomain, prefix).map((words) => `prefix part ${words}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (Buffer.byteLength(name) > 63) faults.push('name part must be no more than 63 bytes');
  if (!new RegExp(`^${qualified}$`).test(name)) faults.push(`name part ${namePart.words}`);
  return faults;
}
