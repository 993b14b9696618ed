/** Certificates that are trusted side by side, until each expires. */
import { X509Certificate } from 'node:crypto';

const onePem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** In base64, as a webhook configuration needs it. */
export function bundleOf(
  caBundle: string | undefined,
  certificates: readonly string[],
  nowMs: number,
): string {
  const before = Buffer.from(caBundle ?? '', 'base64').toString();
  return Buffer.from(joined([before, ...certificates], nowMs)).toString('base64');
}

/** The trusted certificates that have not expired, then the new ones (certificate-2). */
export function joined(certificates: readonly string[], nowMs: number): string {
  const all = certificates.flatMap((text) => text.match(onePem) ?? []);
  const valid = [...new Set(all)].filter((pem) => (endOf(pem) ?? 0) > nowMs);
  return valid.map((pem) => `${pem}\n`).join('');
}

/** Milliseconds since the epoch. Undefined: this is no certificate. */
export function endOf(pem: string): number | undefined {
  try {
    return new X509Certificate(pem).validToDate.getTime();
  } catch {
    return undefined;
  }
}
