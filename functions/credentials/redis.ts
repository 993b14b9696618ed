/**
 * Keys and certificate of the bundled Redis and its users. Existing ones are kept, and new users are added.
 *
 * The server reads its certificate only when it starts. So it is valid for ten years, even if cert-manager makes
 * those of the admissions. A new certificate is trusted before it can be served.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Uid } from '#shared/domain/objects.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';
import { certificateSecret, redisKeys, redisName, secrets } from '#shared/installation/names.ts';
import { redisPort } from '#shared/installation/trial-redis.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { isGood } from './certificate.ts';
import { joined } from './certificate-bundle.ts';
import { createSecret, readSecret, type SecretContent, writeSecret } from './secret.ts';

export interface RedisKeeping {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly users: readonly string[];
  /** The cluster whose keys the users may touch. */
  readonly cluster: Uid;
  readonly nowMs: number;
}

const tenYearsMs = 10 * 365 * 86_400_000;

/** Returns the names of the keys that were missing. */
export async function keepRedis(keeping: RedisKeeping): Promise<readonly string[]> {
  const { client, namespace, nowMs } = keeping;
  const host = `${redisName}.${namespace}.svc`;
  const servers = { namespace, name: certificateSecret(redisName) };
  const served = (await readSecret(client, servers))?.['tls.crt'];
  const isServed = served !== undefined && isGood(served, nowMs);
  const next = isServed ? undefined : createOwnCertificate(nowMs, [host], tenYearsMs);

  const where = { namespace, name: secrets.redis };
  const known = await readSecret(client, where);
  const added = missingIn(known ?? {}, keeping, `${host}:${redisPort}`);
  const trusted = [known?.[redisKeys.authorities] ?? '', served ?? '', next?.cert ?? ''];
  const content: SecretContent = { ...added, [redisKeys.authorities]: joined(trusted, nowMs) };
  const changed = Object.keys(content).filter((key) => ownMember(known, key) !== content[key]);
  if (known === undefined) await createSecret(client, where, content);
  else if (changed.length > 0) await writeSecret(client, where, content);

  if (next !== undefined) {
    const pair = { 'tls.crt': next.cert, 'tls.key': next.key };
    if (served === undefined) await createSecret(client, servers, pair, 'kubernetes.io/tls');
    else await writeSecret(client, servers, pair);
  }
  return changed;
}

function missingIn(
  known: SecretContent,
  { users, cluster }: RedisKeeping,
  address: string,
): SecretContent {
  const added: Record<string, string> = { [redisKeys.cluster]: cluster };
  for (const user of users) {
    const [url, hash] = [redisKeys.urlOf(user), redisKeys.hashOf(user)];
    if (ownMember(known, url) !== undefined && ownMember(known, hash) !== undefined) continue;
    const password = randomBytes(24).toString('base64url');
    setOwnMember(added, url, `rediss://${user}:${password}@${address}`);
    setOwnMember(added, hash, createHash('sha256').update(password).digest('hex'));
  }
  return added;
}
