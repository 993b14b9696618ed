/** The admissions inside `millrace run` and `millrace up`: served, registered, and removed at the end. */
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
  /** Registers the webhooks, and asks for them. */
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly policy: PodPolicy;
  /** Of each admission process, by its name. Absent: the defaults. */
  readonly settings?: Hosted['admissions'];
  /** By which windows open and close. Default: the machine's. */
  readonly clock?: WaitingClock;
  /** Only what is submitted there is reviewed. Absent: all namespaces. */
  readonly namespace?: string;
  /** The Redis where reviews are recorded once they are answered. Absent: they are not. */
  readonly reviewsIn?: Pick<RedisReviewsOptions, 'url' | 'insecure'>;
}

export interface Webhooks {
  /** Removes them first, so that nobody is asked who has gone. May be called again. */
  stop(): Promise<void>;
}

/** Throws MR_API_FORBIDDEN when the client may not register webhooks; nothing is left then. */
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
    // However fast the days of a sandbox pass, its API server waits for seconds of the machine.
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
      // Who may not look at webhooks has registered none.
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
