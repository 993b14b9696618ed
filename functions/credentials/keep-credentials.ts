/** Keys and certificates that the processes of one installation share. They are created once and renewed in time. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { reviewTokenKey, secrets } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import { newReviewToken } from '#shared/runtime/admission/review-token.ts';
import { keepCertificate } from './certificate.ts';
import { keepRedis } from './redis.ts';
import { createSecret, readSecret, type SecretContent } from './secret.ts';
import { updateWebhooks } from './webhooks.ts';

export interface KeepingOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  /** Admissions, which the API server calls. */
  readonly admissions: readonly string[];
  /** cert-manager makes the certificates of admissions, and has them trusted. */
  readonly certManager?: boolean;
  /** Users of the bundled Redis. Undefined: there is none. */
  readonly redisUsers: readonly string[] | undefined;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
}

/** The result of one round. */
export interface Kept {
  /** Processes without a webhook configuration, so there is nothing to write the certificate into. */
  readonly untrusted: readonly string[];
  /** A webhook configuration was updated. Another one may appear a moment later. */
  readonly hasUpdated: boolean;
}

/** Idempotent. Secrets that another process or a user has made stay as they are. */
export async function keepCredentials(options: KeepingOptions): Promise<Kept> {
  const { client, namespace, admissions, redisUsers: users, clock, logger } = options;
  const { certManager = false } = options;
  await make(options, secrets.delivery, () => ({ key: newDeliveryKey() }));
  await make(options, secrets.reviews, () => ({ [reviewTokenKey]: newReviewToken() }));
  const token = await reviewToken(options);
  if (users !== undefined) {
    const cluster = await clusterUid(client);
    const made = await keepRedis({ client, namespace, users, cluster, nowMs: clock.now() });
    if (made.length > 0)
      logger.info({ secret: secrets.redis, keys: made }, 'a Secret was completed');
  }
  const untrusted: string[] = [];
  let hasUpdated = false;
  for (const process of admissions) {
    const nowMs = clock.now();
    const keeping = { client, namespace, process, nowMs, token };
    const { isRenewed, trust } = certManager
      ? { isRenewed: false, trust: await updateWebhooks(keeping, []) }
      : await keepCertificate(keeping);
    if (isRenewed) logger.info({ process }, 'a certificate was made');
    if (trust === 'absent') untrusted.push(process);
    if (trust === 'updated') hasUpdated = true;
  }
  return { untrusted, hasUpdated };
}

/** The first token: the value may hold several while one replaces another. */
async function reviewToken({ client, namespace }: KeepingOptions): Promise<string> {
  const content = await readSecret(client, { namespace, name: secrets.reviews });
  const [token] = content?.[reviewTokenKey]?.trim().split(/\s+/) ?? [];
  if (token !== undefined && token !== '') return token;
  throw new MillraceError('MR_REVIEW_TOKEN_INVALID', {
    ...{ file: `the Secret ${secrets.reviews}`, detail: `it has no ${reviewTokenKey}` },
  });
}

async function make(
  { client, namespace, logger }: KeepingOptions,
  name: string,
  content: () => SecretContent,
): Promise<void> {
  const where = { namespace, name };
  if ((await readSecret(client, where)) !== undefined) return;
  if (await createSecret(client, where, content()))
    logger.info({ secret: name }, 'a Secret was made');
}

function newDeliveryKey(): string {
  return `whsec_${randomBytes(32).toString('base64')}\n`;
}
