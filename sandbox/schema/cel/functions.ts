/**
 * The functions that a CEL rule may call, of those that the API server has on (apiserver
 * pkg/cel/environment/base.go; authorizer.ts says what of the authorizer is there). Not the parts of times, not the
 * libraries of sets, URLs, IP addresses, CIDRs, quantities and semantic versions, of lists nothing but `sum` and `indexOf`, of regular
 * expressions nothing but `matches`: a rule that uses them is refused when it is defined.
 */
import { authorizerFields, checkAccess, isAllowed } from './authorizer.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import {
  CelList,
  CelMap,
  Duration,
  none,
  Optional,
  Timestamp,
  Uint,
  type CelValue,
} from './cel-value.ts';
import {
  size,
  toBool,
  toBytes,
  toDouble,
  toDuration,
  toInt,
  toText,
  toTimestamp,
  toUint,
  typeOfValue,
} from './conversions.ts';
import { formatText } from './format-text.ts';
import { indexOfItem, sum } from './list-functions.ts';
import { formatFunctions, namedFormat, validate } from './named-formats.ts';
import * as text from './text-functions.ts';

export interface CelFunction {
  /** Accepted numbers of arguments, including the receiver. */
  readonly least: number;
  readonly most: number;
  /** Throws CelFault: `no such overload` for arguments of other types. */
  readonly run: (...args: CelValue[]) => CelValue;
}

type Run = (...args: CelValue[]) => CelValue;

/** Called as `name(...)`, with a namespace if the function has one. */
export const functions: ReadonlyMap<string, CelFunction> = new Map([
  of('bool', toBool),
  of('bytes', toBytes),
  of('double', toDouble),
  of('duration', toDuration),
  of('dyn', (value) => value),
  of('int', toInt),
  of('size', size),
  of('string', toText),
  of('timestamp', toTimestamp),
  of('type', typeOfValue),
  of('uint', toUint),
  of('matches', text.matches, 2),

  of('optional.none', () => none, 0),
  of('optional.of', (value) => new Optional(value)),
  of('optional.ofNonZeroValue', (value) => (isZero(value) ? none : new Optional(value))),

  of('strings.quote', text.quoted),

  ...Object.entries(formatFunctions).map(([name, run]) => of(name, run, 0)),
  of('format.named', namedFormat),
]);

/** Called as `value.name(...)`. */
export const members: ReadonlyMap<string, CelFunction> = new Map([
  of('size', size),
  of('startsWith', (value, part) => text.textOf(value).startsWith(text.textOf(part)), 2),
  of('endsWith', (value, part) => text.textOf(value).endsWith(text.textOf(part)), 2),
  of('contains', (value, part) => text.textOf(value).includes(text.textOf(part)), 2),
  of('matches', text.matches, 2),
  of('charAt', text.charAt, 2),
  of('indexOf', byKind(text.indexOfText, indexOfItem), 2, 3),
  of('lastIndexOf', text.lastIndexOfText, 2, 3),
  of('lowerAscii', text.lowerAscii),
  of('upperAscii', text.upperAscii),
  of('replace', text.replace, 3, 4),
  of('split', text.splitText, 2, 3),
  of('substring', text.substring, 2, 3),
  of('trim', (value) => text.textOf(value).trim()),
  of('join', text.join, 1, 2),
  of('format', formatText, 2),

  of('sum', sum),

  of('hasValue', (value) => optionalOf(value).held !== undefined),
  of('value', opened),
  of('validate', validate, 2),

  ...Object.entries(authorizerFields).map(([name, run]) => of(name, run, 2)),
  of('check', checkAccess, 2),
  of('allowed', isAllowed),
]);

function of(name: string, run: Run, least = 1, most = least): readonly [string, CelFunction] {
  return [name, { least, most, run }];
}

function byKind(ofText: Run, ofList: Run): Run {
  return (...args) => (args[0] instanceof CelList ? ofList(...args) : ofText(...args));
}

function optionalOf(value: CelValue): Optional {
  if (value instanceof Optional) return value;
  throw noSuchOverload();
}

function opened(value: CelValue): CelValue {
  const { held } = optionalOf(value);
  if (held === undefined) throw new CelFault('optional.none() dereference');
  return held;
}

function isZero(value: CelValue): boolean {
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.ns === 0n;
  return value === null || value === false || value === '' || value === 0n || value === 0;
}
