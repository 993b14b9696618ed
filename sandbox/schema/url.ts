/** Go's url.ParseRequestURI: an absolute URI or an absolute path. */

export interface RequestUri {
  readonly scheme: string;
  /** With its port, and with IPv6 in brackets. */
  readonly host: string;
  readonly escapedPath: string;
  readonly rawQuery: string;
}

/** The parts, or the fault in Go's words without the prefix. */
export function parseRequestUri(text: string): RequestUri | string {
  if (text === '') return 'empty url';

  if (/[\u0000-\u001f\u007f]/.test(text)) return 'net/url: invalid control character in URL';
  if (text === '*') return { scheme: '', host: '', escapedPath: '*', rawQuery: '' };
  const colon = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? '';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = colon.slice(0, -1).toLowerCase();
  const [before = '', ...queries] = text.slice(colon.length).split('?');
  const rawQuery = queries.join('?');
  if (!before.startsWith('/')) {
    if (scheme === '') return 'invalid URI for request';
    return { scheme, host: '', escapedPath: '', rawQuery };
  }
  const hasAuthority = before.startsWith('//') && (scheme !== '' || !before.startsWith('///'));
  if (!hasAuthority || scheme === '') return withPath({ scheme, host: '', rawQuery }, before);
  const end = (before + '/').indexOf('/', '//'.length);
  const host = hostOf(before.slice('//'.length, end));
  return host.fault ?? withPath({ scheme, host: host.name, rawQuery }, before.slice(end));
}

function withPath(rest: Omit<RequestUri, 'escapedPath'>, path: string): RequestUri | string {
  const escape = brokenEscape(path);
  if (escape !== undefined) return escape;
  return { ...rest, escapedPath: isEscaped(path) ? path : escaped(path) };
}

interface Host {
  readonly name: string;
  readonly fault?: string;
}

function hostOf(authority: string): Host {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
    return { name: '', fault: 'net/url: invalid userinfo' };
  }
  const name = authority.slice(at + 1);
  if (name.startsWith('[')) {
    const end = name.lastIndexOf(']');
    if (end === -1) return { name, fault: "missing ']' in host" };
    return portFault(name, name.slice(end + 1));
  }
  const colon = name.indexOf(':');
  const port = portFault(name, colon === -1 ? '' : name.slice(colon));
  if (port.fault !== undefined) return port;
  const stray = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(name)?.[0];
  if (stray !== undefined)
    return { name, fault: `invalid character ${JSON.stringify(stray)} in host name` };
  const escape = brokenEscape(name);
  return escape === undefined ? { name } : { name, fault: escape };
}

function portFault(name: string, port: string): Host {
  if (/^(?::\d*)?$/.test(port)) return { name };
  return { name, fault: `invalid port ${JSON.stringify(port)} after host` };
}

function brokenEscape(text: string): string | undefined {
  const broken = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0];
  return broken === undefined ? undefined : `invalid URL escape ${JSON.stringify(broken)}`;
}

function isEscaped(path: string): boolean {
  return /^[A-Za-z0-9\-._~!$&'()*+,;=:@[\]%/]*$/.test(path);
}

function escaped(path: string): string {
  return encodeURI(path).replaceAll('%25', '%').replaceAll('#', '%23');
}
