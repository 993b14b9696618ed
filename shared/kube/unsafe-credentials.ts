/** Credentials that kubectl refuses or leaves out too, because they look safer than they are. */
import { isLoopback } from '#shared/domain/loopback.ts';

/** The relevant part of a connection's `Credentials`. */
export interface SentCredentials {
  readonly tls: { readonly ca?: string; readonly rejectUnauthorized?: boolean };
  readonly headers: { readonly [name: string]: unknown };
}

/**
 * Throws if a given CA would not be checked, or if a secret would be sent over the network
 * unencrypted. Rules: client-go's transport.TLSConfigFor ("specifying a root certificates file with
 * the insecure flag is not allowed") and clientcmd's ClientConfig, which sends credentials over TLS
 * only. Loopback is allowed here, because nothing leaves the machine.
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
