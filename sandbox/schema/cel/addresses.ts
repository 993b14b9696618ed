/** IP addresses and networks (apiserver pkg/cel/library/ip.go, cidr.go). */
import { isIPv4, isIPv6 } from 'node:net';
import { goQuote } from '../../apimachinery/go-text.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { CelObject, type CelValue } from './cel-value.ts';

/** What can be written as text again. */
export abstract class AddressValue extends CelObject {
  abstract readonly text: string;
}

class Ip extends AddressValue {
  readonly typeName = 'net.IP';
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  get text(): string {
    return this.family === 4 ? ipv4Text(this.bits) : ipv6Text(this.bits);
  }

  equals(other: CelObject): boolean {
    return other instanceof Ip && other.family === this.family && other.bits === this.bits;
  }

  isIn(network: string): boolean {
    return parseCidr(network)?.contains(this) ?? false;
  }
}

class Cidr extends AddressValue {
  readonly typeName = 'net.CIDR';
  readonly ip: Ip;
  readonly length: number;

  constructor(ip: Ip, length: number) {
    super();
    this.ip = ip;
    this.length = length;
  }

  get text(): string {
    return `${this.ip.text}/${this.length}`;
  }

  equals(other: CelObject): boolean {
    return other instanceof Cidr && other.length === this.length && other.ip.equals(this.ip);
  }

  masked(): Cidr {
    const free = BigInt((this.ip.family === 4 ? 32 : 128) - this.length);
    return new Cidr(new Ip(this.ip.family, (this.ip.bits >> free) << free), this.length);
  }

  contains(ip: Ip): boolean {
    return new Cidr(ip, this.length).masked().ip.equals(this.masked().ip);
  }
}

export function isIp(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  return typeof parseIp(text) !== 'string';
}

/** Of a text, or of a network. */
export function toIp(source: CelValue): CelValue {
  if (source instanceof Cidr) return source.ip;
  if (typeof source !== 'string') throw noSuchOverload();
  return mustParseIp(source);
}

export function isCanonical(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  return mustParseIp(text).text === text;
}

export function isCidr(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  return parseCidr(text) !== undefined;
}

export function toCidr(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  return mustParseCidr(text);
}

export const addressMembers: Readonly<Record<string, (...args: CelValue[]) => CelValue>> = {
  family: onIp((ip) => BigInt(ip.family)),
  isUnspecified: onIp((ip) => ip.bits === 0n),
  isLoopback: onIp((ip) => ip.isIn(ip.family === 4 ? '127.0.0.0/8' : '::1/128')),
  isLinkLocalMulticast: onIp((ip) => ip.isIn(ip.family === 4 ? '224.0.0.0/24' : 'ff02::/16')),
  isLinkLocalUnicast: onIp(isLinkLocal),
  isGlobalUnicast: onIp(
    (ip) =>
      ip.bits !== 0n &&
      !(ip.family === 4 && ip.bits === 0xffffffffn) &&
      !ip.isIn(ip.family === 4 ? '127.0.0.0/8' : '::1/128') &&
      !ip.isIn(ip.family === 4 ? '224.0.0.0/4' : 'ff00::/8') &&
      !isLinkLocal(ip),
  ),
  containsIP: (network, address) => {
    if (!(network instanceof Cidr)) throw noSuchOverload();
    const ip = typeof address === 'string' ? mustParseIp(address) : address;
    if (ip instanceof Ip) return network.contains(ip);
    throw noSuchOverload();
  },
  containsCIDR: (network, other) => {
    if (!(network instanceof Cidr)) throw noSuchOverload();
    const inner = typeof other === 'string' ? mustParseCidr(other) : other;
    if (inner instanceof Cidr) return network.length <= inner.length && network.contains(inner.ip);
    throw noSuchOverload();
  },
  prefixLength: onCidr((network) => BigInt(network.length)),
  masked: onCidr((network) => network.masked()),
  ip: onCidr((network) => network.ip),
};

function onIp(read: (ip: Ip) => CelValue): (value?: CelValue) => CelValue {
  return (value) => {
    if (value instanceof Ip) return read(value);
    throw noSuchOverload();
  };
}

function onCidr(read: (network: Cidr) => CelValue): (value?: CelValue) => CelValue {
  return (value) => {
    if (value instanceof Cidr) return read(value);
    throw noSuchOverload();
  };
}

function isLinkLocal(ip: Ip): boolean {
  return ip.isIn(ip.family === 4 ? '169.254.0.0/16' : 'fe80::/10');
}

function mustParseIp(text: string): Ip {
  const ip = parseIp(text);
  if (typeof ip !== 'string') return ip;
  throw new CelFault(ip);
}

function mustParseCidr(text: string): Cidr {
  const network = parseCidr(text);
  if (network !== undefined) return network;
  const parse = 'network address parse error during conversion from string: ';
  const [, address] = /^(.*)\/[^/]*$/s.exec(text) ?? [];
  if (address !== undefined && isIPv6(address) && isMapped(ipv6Bits(address))) {
    throw new CelFault(`${parse}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  }
  const prefix = `netip.ParsePrefix(${goQuote(text)}): `;
  throw new CelFault(`${parse}${parse}${prefix}${prefixFault(text, address)}`);
}

/** netip.ParsePrefix. */
function prefixFault(text: string, address: string | undefined): string {
  if (address === undefined) return "no '/'";
  if (!isIPv4(address) && !isIPv6(address)) {
    return `ParseAddr(${goQuote(address)}): ${addressFault(address)}`;
  }
  if (address.includes('%')) return 'IPv6 zones cannot be present in a prefix';
  const bits = text.slice(address.length + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return `bad bits after slash: ${goQuote(bits)}`;
  return 'prefix length out of range';
}

/** netip.ParseAddr on what is no address; of IPv6 only that it is none. */
function addressFault(text: string): string {
  const [first] = /[.:%]/.exec(text) ?? [];
  if (first === '%') return 'missing IPv6 address';
  if (first !== '.') return 'unable to parse IP';
  const stray = /[^0-9.]/.exec(text);
  if (stray) return `unexpected character (at ${goQuote(text.slice(stray.index))})`;
  const gap = /^\.|\.(?=\.)|\.$/.exec(text);
  if (gap) {
    const at = text.slice(
      gap[0] === '.' && gap.index > 0 && !text.endsWith('.') ? gap.index + 1 : gap.index,
    );
    return `IPv4 field must have at least one digit (at ${goQuote(at)})`;
  }
  const parts = text.split('.');
  if (parts.some((part) => /^0\d/.test(part))) return 'IPv4 field has octet with leading zero';
  if (parts.some((part) => Number(part) > 255)) return 'IPv4 field has value >255';
  return parts.length < 4 ? 'IPv4 address too short' : 'IPv4 address too long';
}

function isMapped(bits: bigint): boolean {
  return bits >> 32n === 0xffffn;
}

/** The address, or why there is none. */
function parseIp(text: string): Ip | string {
  const parse = `IP Address ${goQuote(text)} parse error during conversion from string: `;
  if (isIPv4(text)) {
    return new Ip(4, BigInt(text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)));
  }
  if (!isIPv6(text)) return `${parse}ParseAddr(${goQuote(text)}): ${addressFault(text)}`;
  if (text.includes('%')) return `IP address ${goQuote(text)} with zone value is not allowed`;
  const bits = ipv6Bits(text);
  if (isMapped(bits)) {
    return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`;
  }
  return new Ip(6, bits);
}

function parseCidr(text: string): Cidr | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = parseIp(address);
  if (typeof ip === 'string' || Number(length) > (ip.family === 4 ? 32 : 128)) return undefined;
  return new Cidr(ip, Number(length));
}

function ipv6Bits(text: string): bigint {
  const plain = text.replace(
    /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/,
    (_all, ...parts: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    },
  );
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce(
    (sum, group) => (sum << 16n) + BigInt(`0x${group}`),
    0n,
  );
}

function ipv4Text(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');
}

/** RFC 5952: the longest run of zero groups, from two on, is left out. */
function ipv6Text(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bits >> BigInt(16 * (7 - at))) & 0xffffn).toString(16),
  );
  const runs = [...groups.join(':').matchAll(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g)];
  const longest = runs.reduce((best, [run]) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const at = runs.find(([run]) => run === longest)?.index ?? 0;
  const text = groups.join(':');
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}
