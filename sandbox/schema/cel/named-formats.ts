/** `format.dns1123Label().validate(text)` (apiserver pkg/cel/library/format.go). */
import {
  dotted,
  isDotted,
  labelSyntax,
  labelValueSyntax,
  qualifiedPartSyntax,
  serviceLabelSyntax,
  subdomainSyntax,
  type Syntax,
  tooLong,
  tooManyPartsWords,
} from '../../apimachinery/names.ts';
import { hasFormat } from '../formats.ts';
import { parseRequestUri } from '../url.ts';
import { goQuote } from '../../apimachinery/go-text.ts';
import { noSuchOverload } from './cel-fault.ts';
import { CelObject, ListValue, none, Optional, type CelValue } from './cel-value.ts';

type Judge = (text: string) => readonly string[];

const judges: Readonly<Record<string, Judge>> = {
  dns1123Label: by(labelSyntax),
  dns1123Subdomain: by(subdomainSyntax),
  dns1035Label: by(serviceLabelSyntax),
  dns1123LabelPrefix: byPrefix(labelSyntax),
  dns1123SubdomainPrefix: byPrefix(subdomainSyntax),
  dns1035LabelPrefix: byPrefix(serviceLabelSyntax),
  labelValue: by(labelValueSyntax),
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

/** `format.dns1123Label()` and similar functions. */
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

/** None when the text is valid, otherwise its faults. */
export function validate(format: CelValue, text?: CelValue): CelValue {
  if (!(format instanceof NamedFormat) || typeof text !== 'string') throw noSuchOverload();
  const faults = format.judge(text);
  return faults.length === 0 ? none : new Optional(new ListValue(faults));
}

/** All faults, where the API server itself reports only the first. */
function faultsOf(syntax: Syntax, text: string): readonly string[] {
  const { pattern, limit, words } = syntax;
  const faults: string[] = [];
  if (Buffer.byteLength(text) > limit) faults.push(tooLong(limit));
  if (!pattern.test(text)) faults.push(syntax === labelSyntax && isDotted(text) ? dotted : words);
  return faults;
}

function by(syntax: Syntax): Judge {
  return (text) => faultsOf(syntax, text);
}

/** A name that gets a suffix may end in a dash. */
function byPrefix(syntax: Syntax): Judge {
  return (text) => faultsOf(syntax, /.-$/s.test(text) ? `${text.slice(0, -2)}a` : text);
}

function byFormat(format: string, words: string): Judge {
  return (text) => (hasFormat(text, format) ? [] : [words]);
}

function judgeQualifiedName(text: string): readonly string[] {
  const parts = text.split('/');
  if (parts.length > 2) return [tooManyPartsWords];
  const faults: string[] = [];
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, text];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    faults.push(...faultsOf(subdomainSyntax, prefix).map((words) => `prefix part ${words}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  faults.push(...faultsOf(qualifiedPartSyntax, name).map((words) => `name part ${words}`));
  return faults;
}
