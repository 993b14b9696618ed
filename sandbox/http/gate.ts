/**
 * Access to the sandbox. It runs commands on its user's machine, and every web page that this user
 * opens can send requests to it.
 *
 * gate-1 Every request needs the token of this start, which only readers of the kubeconfig know.
 * gate-2 Requests of web pages are refused: browsers mark them with Origin or Sec-Fetch-Site.
 * gate-3 Requests for a foreign host name (DNS rebinding) are refused by their Host header.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { StatusError } from '../apimachinery/status-error.ts';

/** 256 random bits as text for a kubeconfig. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

type Asking = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * The reason for a refusal if the headers are those of a web page, or name another host. Otherwise
 * undefined.
 */
export function strangerFault(request: Asking): StatusError | undefined {
  const { headers, socket } = request;
  if (!isOwnHost(headers.host, socket.localPort)) {
    return forbidden(
      'answers only to 127.0.0.1, [::1] and localhost with its own port as the Host',
    );
  }
  if (headers.origin !== undefined) {
    return forbidden('answers no web page: it takes no request with an Origin');
  }
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'none') return forbidden(`answers no web page: Sec-Fetch-Site is ${site}`);
  return undefined;
}

/** Takes the same time however much of the token is right. */
export function carriesToken({ headers }: Pick<Asking, 'headers'>, token: string): boolean {
  const presented = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const [one, other] = [Buffer.from(presented), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The API server's answer to an invalid token (k8s.io/apiserver filters.Unauthorized). */
export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

function isOwnHost(host: string | undefined, port: number | undefined): boolean {
  const own = ['127.0.0.1', '[::1]', 'localhost'].map((name) =>
    port === 80 ? [name, `${name}:80`] : [`${name}:${port}`],
  );
  return own.flat().includes((host ?? '').toLowerCase());
}

function forbidden(why: string): StatusError {
  return new StatusError(403, 'Forbidden', `the sandbox ${why}`);
}
