import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { ReviewRecord, ReviewRecorder } from '#shared/admission/review-record.ts';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import {
  createAdmissionService,
  type AdmissionService,
  type AdmissionServiceOptions,
} from '../admission/admission-service.ts';
import { reviewTokens } from '../admission/review-token.ts';
import { openCertificate, type ServingCertificate } from '../http/serving-certificate.ts';
import { systemClock } from '../process/system-clock.ts';
import { certificateFolder, newPair, type CertificateFolder } from './certificate-folder.ts';

export interface ServedAdmissions {
  /** With the token; each admission is below it, under its name. */
  readonly url: string;
  /** For probes and other paths without a token. */
  readonly root: string;
  /** The authority that clients must trust, PEM. */
  readonly ca: string;
  readonly service: AdmissionService;
  readonly registry: Registry;
  readonly certificate: ServingCertificate;
  readonly folder: CertificateFolder;
  stop(): Promise<void>;
}

export const testToken = 'a'.repeat(64);

type Options = Pick<AdmissionServiceOptions, 'admissions'> & Partial<AdmissionServiceOptions>;

/** On a free loopback port, with a certificate of its own. */
export async function serveAdmissions(options: Options): Promise<ServedAdmissions> {
  const pair = newPair();
  const folder = await certificateFolder(pair);
  const registry = new Registry();
  const logger = pino({ level: 'silent' });
  const { certFile, keyFile } = folder;
  const certificate = await openCertificate({
    ...{ certFile, keyFile, registry, logger, clock: systemClock },
  });
  const service = await createAdmissionService({
    ...{ certificate, registry, logger, cluster: knownCluster(), clock: systemClock },
    version: 'test',
    tokens: reviewTokens(() => [testToken]),
    ...options,
  });
  const root = await service.listen({ host: '127.0.0.1', port: 0 });
  const stop = async (): Promise<void> => {
    await service.drain();
    certificate.close();
    await folder[Symbol.asyncDispose]();
  };
  const url = `${root}/${testToken}`;
  return { url, root, ca: pair.cert, service, registry, certificate, folder, stop };
}

/** Keeps the records in memory. */
export function memoryRecorder(): ReviewRecorder & { readonly records: readonly ReviewRecord[] } {
  const records: ReviewRecord[] = [];
  return { records, record: async (record) => void records.push(record) };
}
