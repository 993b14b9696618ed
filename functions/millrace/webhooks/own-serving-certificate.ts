import type { OwnCertificate } from '#shared/domain/own-certificate.ts';
import type { ServingCertificate } from '#shared/runtime/http/serving-certificate.ts';

/** A certificate in memory only, for one process. It is valid for a year. */
export function ownServingCertificate({ cert, key }: OwnCertificate): ServingCertificate {
  const pair = { cert: Buffer.from(cert), key: Buffer.from(key) };
  return {
    current: () => pair,
    reread: () => Promise.resolve(),
    onReplaced: () => undefined,
    notReady: () => undefined,
    close: () => undefined,
  };
}
