/** The admissions of `millrace run` and `millrace up`: served, registered, and removed at the end. */
import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import { admissionProcesses } from '#functions/admissions.ts';
import { withServices } from '#shared/admission/with-services.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterInquiry } from '#shared/kube/inquiry.ts';
import { rememberingInquiry } from '#shared/kube/remembering-inquiry.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import {
  redisReviewJournal,
  type RedisReviewsOptions,
} from '#shared/runtime/admission/review-journal.ts';
import { newReviewToken, reviewTokens } from '#shared/runtime/admission/review-token.ts';
import { createAdmissionService } from '#shared/runtime/admission/admission-service.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { isProcessAlive } from '../process-alive.ts';
import type { Hosted } from '../hosted-settings.ts';
import { ownServingCertificate } from './own-serving-certificate.ts';
import { register, unregister } from './registration.ts';

export interface WebhookOptions {
  /** Registers the webhooks, and sends the requests of the admissions. */
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly policy: PodPolicy;
  /** Settings of each admission process, by name. Absent: the defaults. */
  readonly settings?: Hosted['admissions'];
  /** The clock by which windows open and close. Default: that of the machine. */
  readonly clock?: WaitingClock;
  /** The only namespace whose submissions are reviewed. Absent: all namespaces. */
  readonly namespace?: string;
  /** The Redis in which answered reviews are recorded. Absent: they are not recorded. */
  readonly reviewsIn?: Pick<RedisReviewsOptions, 'url' | 'insecure'>;
}

export interface Webhooks {
  /** Removes the webhooks first, so that the API server calls none that has stopped. May be called again. */
  stop(): Promise<void>;
}

/** Throws MR_API_FORBIDDEN if the client may not register webhooks. Nothing is left then. */
export async function startWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { client, logger, registry, policy, namespace, reviewsIn, clock = systemClock } = options;
  const journal =
    reviewsIn === undefined ? undefined : redisReviewJournal({ ...reviewsIn, client, log: logger });
  const hosted = admissionProcesses.map((declared) => ({
    ...declared.services({ clock, policy, ...settingsOf(declared, options) }),
    declared: declared.admissions,
  }));
  const admissions = hosted.flatMap(({ declared, known }) => withServices(declared, known));
  const ended = new AbortController();
  const parts = { client, logger, ...(namespace === undefined ? {} : { namespace }) };
  const followed = Promise.all(hosted.map(async ({ follow }) => follow?.(parts, ended.signal)));
  const own = createOwnCertificate(systemClock.now());
  const token = newReviewToken();
  const service = await createAdmissionService({
    ...{ admissions, logger, registry, version: packageJson.version },
    ...(journal === undefined ? {} : { recorder: journal }),
    certificate: ownServingCertificate(own),
    tokens: reviewTokens(() => [token]),
    cluster: rememberingInquiry(clusterInquiry(client, apiReader(client)), systemClock),
    // However fast the sandbox's clock runs, its API server waits in real time.
    clock: { ...systemClock, now: () => clock.now() },
  });
  const root = await service.listen({ host: '127.0.0.1', port: 0 });
  const url = `${root}/${token}`;
  const registration = {
    ...{ client, admissions, url, authority: own.cert },
    owner: { host: hostname(), pid: process.pid },
    isAlive: isProcessAlive,
    ...(namespace === undefined ? {} : { namespace }),
  };
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    try {
      await unregister(registration);
    } catch (err) {
      // Without the right to read webhooks, this process has registered none.
      if (!hasCode(err, 'MR_API_FORBIDDEN')) {
        logger.warn(
          { err },
          'the webhooks could not be removed; they refuse JobFlows, JobTemplates and DaemonJobs until the next start',
        );
      }
    }
    await service.drain();
    ended.abort();
    await followed;
    await journal?.close();
  };
  const stop = (): Promise<void> => (stopped ??= end());
  try {
    await register(registration);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function settingsOf({ name }: AdmissionProcess, { settings = {} }: WebhookOptions): object {
  const own = ownMember(settings, name);
  return own === undefined ? {} : { settings: own };
}
