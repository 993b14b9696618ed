/** What kubectl refuses or leaves out too, since it would look safer than it is. */
import { isLoopback } from '#shared/domain/loopback.ts';

/** As far as it matters here; a connection's `Credentials` are such. */
export interface SentCredentials {
  readonly tls: { readonly ca?: string; readonly rejectUnauthorized?: boolean };
  readonly headers: { readonly [name: string]: unknown };
}

/**
 * Throws when a CA is given that would not be looked at, and when a secret would go over the network
 * for everybody to read. Rules: client-go's transport.TLSConfigFor ("specifying a root certificates
 * file with the insecure flag is not allowed") and clientcmd's ClientConfig, which sends credentials
 * over TLS only; loopback is let through here, since nothing of it leaves the machine.
 */
export function refuseUnsafe(server: string, { tls, headers }: SentCredentials): void {
  if (tls.ca !== undefined && tls.rejectUnauthorized === false) {
    throw new Error(
      'insecure-skip-tls-verify and a certificate-authority exclude each other: take one of them away',
    );
  }
  if (headers['authorization'] !== undefined && isReadableByOthers(server)) {
    throw new Error(
      `a token or password is not sent in clear text to ${server}: use https, or an address of this machine`,
    );
  }
}

function isReadableByOthers(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !isLoopback(hostname);
}
