/** What the processes of one installation need to know one another, made once and renewed in time. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '#shared/domain/clock.ts';
import { secrets } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import { keepCertificate } from './certificate.ts';
import { keepRedis } from './redis.ts';
import { createSecret, readSecret, type SecretContent } from './secret.ts';

export interface KeepingOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  /** Those for which a certificate is made here. */
  readonly admissions: readonly string[];
  /** Of the Redis that comes along; undefined: none does. */
  readonly redisUsers: readonly string[] | undefined;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
}

/** What one round found. */
export interface Kept {
  /** Processes that have no webhook configuration yet: nobody could be told whom to trust. */
  readonly untrusted: readonly string[];
  /** A webhook configuration did not know a certificate; another one may come a moment later. */
  readonly isNewsTold: boolean;
}

/** Applied twice it equals itself applied once. Whatever somebody else has made stays as it is. */
export async function keepCredentials(options: KeepingOptions): Promise<Kept> {
  const { client, namespace, admissions, redisUsers: users, clock, logger } = options;
  await make(options, secrets.delivery, () => ({ key: newDeliveryKey() }));
  if (users !== undefined) {
    const cluster = await clusterUid(client);
    const made = await keepRedis({ client, namespace, users, cluster, nowMs: clock.now() });
    if (made.length > 0)
      logger.info({ secret: secrets.redis, keys: made }, 'a Secret was completed');
  }
  const untrusted: string[] = [];
  let isNewsTold = false;
  for (const process of admissions) {
    const nowMs = clock.now();
    const { isRenewed, trust } = await keepCertificate({ client, namespace, process, nowMs });
    if (isRenewed) logger.info({ process }, 'a certificate was made');
    if (trust === 'absent') untrusted.push(process);
    if (trust === 'told') isNewsTold = true;
  }
  return { untrusted, isNewsTold };
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
