/** Parses values of options. Each function throws InvalidArgumentError with what is allowed. */
import { InvalidArgumentError } from 'commander';
import { momentOf } from './journal/moment.ts';
import { parsePolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';

/** A DNS-1123 subdomain. */
const nodeName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function redisUrl(text: string): string {
  if (!/^rediss?:\/\//.test(text)) {
    throw new InvalidArgumentError('it starts with redis:// or rediss://');
  }
  return text;
}

export function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError(
    'it is http://HOST:PORT or https://HOST, and a path where there is one',
  );
}

export function policy(text: string): PodPolicy {
  const parsed = parsePolicy(text);
  if ('policy' in parsed) return parsed.policy;
  throw new InvalidArgumentError(parsed.faults.join('; '));
}

/** A number of nodes, or their names. */
export function nodeNames(text: string): number | readonly string[] {
  if (/^[0-9]+$/.test(text)) return positiveInteger(text);
  const names = commaSeparated(text);
  const wrong = names.find((name) => name.length > 253 || !nodeName.test(name));
  if (wrong === undefined) return names;
  throw new InvalidArgumentError(`"${wrong}" cannot be the name of a node`);
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError(`${text} is no whole number above 0`);
  }
  return value;
}

const unitSeconds = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** `90`, `90s`, `10m`, `2h` or `3d`, in seconds. */
export function seconds(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  const value = Number(amount ?? 0) * unitSeconds[unit as keyof typeof unitSeconds];
  if (value > 0) return value;
  throw new InvalidArgumentError('write whole seconds, or such as 90s, 10m, 2h or 3d');
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError(`${text} is no number above 0`);
  }
  return value;
}

/** RFC 3339 with an offset, or how long ago it was. Milliseconds since the epoch. */
export function moment(text: string): number {
  const ms = momentOf(text, Date.now());
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError(
    'write a time with its offset, such as 2026-03-29T02:00:00Z, or how long ago, such as 90m, 2h or 3d',
  );
}

/** RFC 3339 with an offset, or how long from now. The text itself: only an answer of the cluster says what time it is. */
export function momentAhead(text: string): string {
  if (momentOf(text, 0, 'after') !== undefined) return text;
  throw new InvalidArgumentError(
    'write how long from now, such as 90m, 8h or 3d, or a time with its offset: YYYY-MM-DDThh:mm:ssZ',
  );
}

export function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError(`${text} is no port (0 to 65535)`);
  }
  return value;
}

export function commaSeparated(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}

/** For an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
