/**
 * The string formats that the API server checks (apiextensions-apiserver apiserver/validation/formats.go, kube-openapi
 * validation/strfmt). It ignores all others.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { isDate, isDateTime, isFormatDuration } from './time-formats.ts';
import { typeInvalid } from '../apimachinery/cause.ts';
import { faultAt, report, type Faults } from './fault.ts';
import { goQuote } from '../apimachinery/go-text.ts';
import { labelFault, subdomainFault } from '../apimachinery/names.ts';
import type { Schema } from './schema.ts';
import { parseRequestUri } from './url.ts';

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

const validators: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/i),
  uri: (text) => typeof parseRequestUri(text) !== 'string',
  email: matches(/^(?:[^<>"]*<)?[^\s<>@"(),:;[\\\]]+@[^\s<>@"(),:;[\\\]]+>?$/),
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && isLooseIp(text),
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: isLooseCidr,
  mac: isMac,
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: isRgbColor,
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isFormatDuration,
  datetime: isDateTime,
  k8sshortname: (text) => labelFault(text) === undefined,
  k8slongname: (text) => subdomainFault(text) === undefined,
};

/** The format of a schema if the API server checks it. Undefined otherwise. */
export function formatOf({
  format,
  type,
  'x-kubernetes-int-or-string': either,
}: Schema): string | undefined {
  if (format === undefined || either === true) return undefined;
  switch (type) {
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : undefined;
    case 'number':
      return format === 'float' || format === 'double' ? format : undefined;
    case 'string':
    case undefined:
      return Object.hasOwn(validators, normalized(format)) ? format : undefined;
    default:
      return undefined;
  }
}

/** Whether `text` has the format, which is `date-time` or one of the list. */
export function hasFormat(text: string, format: string): boolean {
  return validators[normalized(format)]?.(text) ?? true;
}

export function formatCheck(
  schema: Schema,
): ((value: string, path: string, faults: Faults) => void) | undefined {
  const format = formatOf(schema);
  const validator = format === undefined ? undefined : validators[normalized(format)];
  if (format === undefined || validator === undefined) return undefined;
  return (value, path, faults) => {
    if (validator(value)) return;
    const text = `${path} in body must be of type ${format}: ${goQuote(value)}`;
    report(
      faults,
      faultAt(path, text, (field) => typeInvalid(field, value, text)),
    );
  };
}

function normalized(format: string): string {
  return format.replaceAll('-', '');
}

/**
 * RFC 1034 names and their Unicode counterparts. The first branch is unanchored at its end, as in the API server's
 * pattern.
 */
function isHostname(text: string): boolean {
  const pattern =
    /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
  const size = (part: string) => Buffer.byteLength(part);
  // Sizes are checked first, so that the pattern has little to try.
  return (
    size(text) <= 255 && text.split('.').every((part) => size(part) <= 63) && pattern.test(text)
  );
}

/** Leading zeros in IPv4 are accepted, as in k8s.io/utils/net. */
function isLooseIp(text: string): boolean {
  if (text.includes(':')) return isIPv6(text) && !text.includes('%');
  return isIPv4(text.replace(/(^|\.)0+(?=\d)/g, '$1'));
}

function isLooseCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  return isLooseIp(address) && Number(bits) <= (address.includes(':') ? 128 : 32);
}

/** net.ParseMAC: 6, 8 or 20 bytes. */
function isMac(text: string): boolean {
  const bytes = '[0-9a-f]{2}';
  const pairs = [5, 7, 19].map((more) => `${bytes}([:-])(?:${bytes}\\1){${more - 1}}${bytes}`);
  const dotted = [2, 3, 9].map((more) => `[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${more}}`);
  return (
    pairs.some((pair) => new RegExp(`^${pair}$`, 'i').test(text)) ||
    new RegExp(`^(?:${dotted.join('|')})$`, 'i').test(text)
  );
}

const digitsOf = (text: string) =>
  Array.from(text, (digit) => (digit === 'X' ? 10 : Number(digit)));

function isIsbn10(text: string): boolean {
  const plain = text.replace(/[\s-]/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(plain)) return false;
  return digitsOf(plain).reduce((sum, digit, at) => sum + (at + 1) * digit, 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const plain = text.replace(/[\s-]/g, '');
  if (!/^[0-9]{13}$/.test(plain)) return false;
  return (
    digitsOf(plain).reduce((sum, digit, at) => sum + (at % 2 === 0 ? 1 : 3) * digit, 0) % 10 === 0
  );
}

/** The ranges of the large issuers, and the Luhn sum. */
function isCreditCard(text: string): boolean {
  const plain = text.replace(/[^0-9]+/g, '');
  const issuers =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!issuers.test(plain)) return false;
  const sum = digitsOf(plain)
    .reverse()
    .map((digit, at) => (at % 2 === 0 ? digit : digit * 2))
    .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const part = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`).test(text);
}
