/**
 * Certificate and key of an HTTPS server, from files that others replace: cert-manager, or a kubelet
 * that swaps a symbolic link to a whole folder.
 *
 * serving-1 The files are read, not watched: a watch follows the link's old target and sees no
 *    swap.
 * serving-2 A new pair is used only if it works: it parses, key and certificate match, and it is
 *    currently valid. Until then the old one stays. Between the renames of two files they do not
 *    match for a moment; the next read finds a complete pair.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Registry } from 'prom-client';
import type { Clock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { gaugeOf, metric } from '#shared/runtime/process/metric.ts';
import type { Logger } from '../process/telemetry.ts';

/** PEM. Certificates of intermediate authorities follow the server's own. */
export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface CertificateOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly registry: Registry;
  readonly clock: Clock;
  /**
   * Interval between two reads, in milliseconds; default 5 s. Kubelets replace a Secret within a
   * minute.
   */
  readonly rereadMs?: number;
}

export interface ServingCertificate {
  readonly current: () => CertificatePair;
  /** Reads the files now, besides the regular reads. Never rejects. */
  reread(): Promise<void>;
  /** Called with each pair that replaces another one. */
  onReplaced(use: (pair: CertificatePair) => void): void;
  /** Why clients will refuse the certificate; undefined while it is valid. */
  notReady(): string | undefined;
  close(): void;
}

interface Checked extends CertificatePair {
  readonly notAfterMs: number;
}

const defaultRereadMs = 5_000;

/** Throws MR_CERTIFICATE_UNUSABLE if the files do not hold a working pair. */
export async function openCertificate(options: CertificateOptions): Promise<ServingCertificate> {
  const { certFile, keyFile, logger, clock, rereadMs = defaultRereadMs } = options;
  let current = checked(await readPair(options), options);
  let fault: string | undefined;
  const listeners: ((pair: CertificatePair) => void)[] = [];
  exposeCertificate(options.registry, {
    notAfterMs: () => current.notAfterMs,
    isBroken: () => fault !== undefined,
  });
  const keep = (error: unknown): void => {
    const detail = error instanceof Error ? error.message : String(error);
    if (detail !== fault) {
      logger.warn({ err: error, certFile, keyFile }, 'the certificate stays as it was');
    }
    fault = detail;
  };
  const reread = async (): Promise<void> => {
    try {
      const latest = await readPair(options);
      // Even if it expired meanwhile: there is no other one.
      const next = isSame(latest, current) ? current : checked(latest, options);
      fault = undefined;
      if (next === current) return;
      current = next;
      for (const use of listeners) use(current);
      const validUntil = new Date(current.notAfterMs).toISOString();
      logger.info({ certFile, validUntil }, 'the certificate was replaced');
    } catch (error) {
      keep(error);
    }
  };
  const timer = setInterval(() => void reread(), rereadMs);
  timer.unref();
  return {
    current: () => current,
    reread,
    onReplaced: (use) => void listeners.push(use),
    notReady: () =>
      clock.now() < current.notAfterMs ? undefined : 'the certificate of the server has expired',
    close: () => clearInterval(timer),
  };
}

async function readPair({ certFile, keyFile }: CertificateOptions): Promise<CertificatePair> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    return { cert, key };
  } catch (cause) {
    throw unusable({ certFile, keyFile }, cause);
  }
}

function checked(pair: CertificatePair, options: CertificateOptions): Checked {
  const { cert, key } = pair;
  try {
    createSecureContext({ cert, key });
    const { validFromDate, validToDate } = requireOwnKey(cert, key);
    const nowMs = options.clock.now();
    if (nowMs < validFromDate.getTime()) throw new Error('the certificate is not valid yet');
    if (nowMs >= validToDate.getTime()) throw new Error('the certificate has expired');
    return { cert, key, notAfterMs: validToDate.getTime() };
  } catch (cause) {
    throw unusable(options, cause);
  }
}

function requireOwnKey(cert: Buffer, key: Buffer): X509Certificate {
  const certificate = new X509Certificate(cert);
  if (certificate.checkPrivateKey(createPrivateKey(key))) return certificate;
  throw new Error('the key is not that of the certificate');
}

function isSame(left: CertificatePair, right: CertificatePair): boolean {
  return left.cert.equals(right.cert) && left.key.equals(right.key);
}

function unusable(
  { certFile, keyFile }: Pick<CertificateOptions, 'certFile' | 'keyFile'>,
  cause: unknown,
): MillraceError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new MillraceError('MR_CERTIFICATE_UNUSABLE', { certFile, keyFile, detail }, { cause });
}

export const certificateMetrics = {
  expiry: metric({
    name: 'millrace_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    unit: 'seconds',
    by: 'admissions',
    says: 'When the certificate in use expires, in seconds since the epoch.',
    next: 'Less than 14 days away: look at the log of credentials, or at cert-manager.',
    labels: {},
  }),
  reloadFailed: metric({
    name: 'millrace_certificate_reload_failed',
    type: 'gauge',
    unit: 'flag',
    by: 'admissions',
    says: '1 while the files hold no pair that serves and an older one is in use.',
    next: 'The log of the admission says what is wrong with the files of its Secret.',
    labels: {},
  }),
};

/** For the alerts before a certificate expires and after a failed renewal. */
function exposeCertificate(
  registry: Registry,
  state: { readonly notAfterMs: () => number; readonly isBroken: () => boolean },
): void {
  gaugeOf(certificateMetrics.expiry, registry, function () {
    this.set(state.notAfterMs() / 1000);
  });
  gaugeOf(certificateMetrics.reloadFailed, registry, function () {
    this.set(state.isBroken() ? 1 : 0);
  });
}
