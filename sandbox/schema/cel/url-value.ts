/** URLs (apiserver pkg/cel/library/urls.go). */
import { goQuote } from '../../apimachinery/go-text.ts';
import { parseRequestUri, type RequestUri } from '../url.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { CelObject, ListValue, MapValue, type CelValue } from './cel-value.ts';

class Url extends CelObject {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly parts: RequestUri;

  constructor(text: string, parts: RequestUri) {
    super();
    this.text = text;
    this.parts = parts;
  }

  equals(other: CelObject): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

export function isUrl(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  return typeof parseRequestUri(text) !== 'string';
}

export function toUrl(text: CelValue): CelValue {
  if (typeof text !== 'string') throw noSuchOverload();
  const whole = parseRequestUri(text);
  if (typeof whole === 'string') {
    const parse = `parse ${goQuote(text)}: ${whole}`;
    throw new CelFault(`URL parse error during conversion from string: ${parse}`);
  }
  // The fragment is no part of a request, but of a URL.
  const parts = parseRequestUri(text.split('#', 1)[0] ?? '');
  return new Url(text, typeof parts === 'string' ? whole : parts);
}

export const urlMembers: Readonly<Record<string, (value?: CelValue) => CelValue>> = {
  getScheme: on(({ scheme }) => scheme),
  getHost: on(({ host }) => host),
  getHostname: on(({ host }) => hostname(host)),
  getPort: on(({ host }) => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? ''),
  getEscapedPath: on(({ escapedPath }) => escapedPath),
  getQuery: on(({ rawQuery }) => queryOf(rawQuery)),
};

function on(read: (parts: RequestUri) => CelValue): (value?: CelValue) => CelValue {
  return (value) => {
    if (value instanceof Url) return read(value.parts);
    throw noSuchOverload();
  };
}

function hostname(host: string): string {
  return /^\[(.*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
}

/** Every value of every key; what is no valid pair is left out. */
function queryOf(query: string): MapValue {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [key = '', ...rest] = pair.split('=');
    try {
      const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
      const name = decode(key);
      found.set(name, [...(found.get(name) ?? []), decode(rest.join('='))]);
    } catch {
      continue;
    }
  }
  return new MapValue(Array.from(found, ([key, values]) => [key, new ListValue(values)] as const));
}
