/** The Redis that an installation names in its Secret, if this machine may be able to reach it. */
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { redisKeys, secrets } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';

export interface NamedRedis {
  /** Absent: it cannot be reached from here. */
  readonly url?: string;
  /** Why it is not examined. */
  readonly unreachable?: string;
}

/** The process whose Redis user may take work and count it. */
const user = 'dispatcher';

/** Undefined: no Secret names it, or the user may not read the Secret. */
export async function namedRedis(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
): Promise<NamedRedis | undefined> {
  const data = await secretOf(client, namespace);
  const encoded = textOf(ownMember(data, redisKeys.urlOf(user))) || textOf(data[redisKeys.url]);
  const url = Buffer.from(encoded, 'base64').toString('utf8').trim();
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, host } = new URL(url);
  // Private certificate authorities are files in the Pods.
  const isPrivate = data[redisKeys.authorities] !== undefined;
  if (!isPrivate && !isOfCluster(hostname)) return { url };
  const place = `${protocol}//${host}`;
  return { unreachable: `is at ${place}, by the Secret ${secrets.redis}, and only Pods reach it` };
}

async function secretOf(client: Pick<KubeClient, 'get'>, namespace: string) {
  try {
    const found = await client.get(resources.Secret, { namespace, name: secrets.redis });
    return fieldsOf((found as { readonly data?: unknown } | undefined)?.data);
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return {};
    throw error;
  }
}

/** Whether the host is the name of a Service. */
function isOfCluster(hostname: string): boolean {
  const isAddress = hostname === 'localhost' || hostname.startsWith('[');
  return !isAddress && (!hostname.includes('.') || /\.svc(\.|$)/.test(hostname));
}
