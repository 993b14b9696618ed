import type { Static } from 'typebox';
import { withServices } from '#shared/admission/with-services.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { clusterInquiry } from '#shared/kube/inquiry.ts';
import { rememberingInquiry } from '#shared/kube/remembering-inquiry.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { openCertificate } from '../http/serving-certificate.ts';
import { createApiMetrics } from '../process/api-metrics.ts';
import { connectByConfiguration } from '../process/cluster-connection.ts';
import { redisAddressOf } from '../process/redis-address.ts';
import { policyOf } from '../process/policy-setting.ts';
import { runMain, type Started } from '../process/run-main.ts';
import { systemClock } from '../process/system-clock.ts';
import { createRegistry, type Logger } from '../process/telemetry.ts';
import { createAdmissionService } from './admission-service.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { AdmissionProcess, CommonSettings } from './admission-process.ts';
import { redisReviewJournal, type ReviewJournal } from './review-journal.ts';
import { openReviewTokens } from './review-token-file.ts';

const { version } = packageJson;

/** Runs admissions as a service; `--help` lists its settings. Returns when the service has ended. */
export async function runAdmissions<Schema extends CommonSettings>(
  declared: AdmissionProcess<Schema>,
): Promise<void> {
  const { name, schema } = declared;
  await runMain({
    ...{ process, name, version, schema },
    start: (settings, logger) => start(declared, settings, logger),
  });
}

async function start<Schema extends CommonSettings>(
  declared: AdmissionProcess<Schema>,
  configuration: Static<Schema>,
  logger: Logger,
): Promise<Started> {
  const { name } = declared;
  const settings = configuration as Static<CommonSettings>;
  const connection = await connectByConfiguration(settings);
  const { podNamespace: ownNamespace } = connection;
  const { known, follow } = declared.services({
    settings: configuration,
    policy: policyIn(configuration),
    clock: systemClock,
    ...(ownNamespace === undefined ? {} : { ownNamespace }),
  });
  const admissions = withServices(declared.admissions, known);
  const registry = createRegistry();
  const { certFile, keyFile, host, port, drainSeconds } = settings;
  const certificate = await openCertificate({
    ...{ certFile, keyFile, logger, registry, clock: systemClock },
  });
  const tokens = await openReviewTokens(settings.reviewTokenFile, logger);
  const client = new HttpKubeClient({
    connection,
    namespace: settings.servedNamespace,
    userAgent: userAgentOf(version, name),
    onRequest: createApiMetrics(registry),
  });
  const journal = reviewJournalBy(settings, client, logger);
  const service = await createAdmissionService({
    ...{ admissions, certificate, tokens, logger, registry, version },
    ...(journal === undefined ? {} : { recorder: journal }),
    cluster: rememberingInquiry(clusterInquiry(client, apiReader(client)), systemClock),
    clock: systemClock,
    limits: { drainMs: drainSeconds * 1000 },
  });
  const ended = new AbortController();
  const followed = follow?.({ client, logger }, ended.signal);
  const url = await service.listen({ host, port });
  await requireSecureReviews(settings);
  logger.info({ cluster: connection.describe }, 'connected');
  const stop = async (): Promise<void> => {
    await service.drain();
    ended.abort();
    await followed;
    await journal?.close();
    certificate.close();
    tokens.close();
    await connection.close();
  };
  return { url, stop };
}

type Settings = Static<CommonSettings>;

function reviewJournalBy(
  settings: Settings,
  client: HttpKubeClient,
  log: Logger,
): ReviewJournal | undefined {
  const { redisUrl: url } = settings;
  if (url === undefined) return undefined;
  return redisReviewJournal({ ...redisAddressOf(url, settings), client, log });
}

/**
 * Called after listening, because parsing such an address loads a slow module. Throws MR_REDIS_INSECURE.
 */
async function requireSecureReviews({ redisUrl, redisInsecure }: Settings): Promise<void> {
  if (redisUrl === undefined) return;
  const { requireSecureRedis } = await import('#shared/redis/transport.ts');
  requireSecureRedis(redisUrl, redisInsecure);
}

/** The default for a process that judges no Pods and has no such setting. */
function policyIn(configuration: object): PodPolicy {
  const { policy = '' } = configuration as Partial<Parameters<typeof policyOf>[0]>;
  return policyOf({ policy });
}
