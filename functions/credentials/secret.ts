import type { ObjectName } from '#shared/domain/objects.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/** Decoded text, by key. */
export type SecretContent = Readonly<Record<string, string>>;

interface StoredSecret {
  readonly data?: Readonly<Record<string, string>>;
}

export async function readSecret(
  client: Pick<KubeClient, 'get'>,
  where: ObjectName,
): Promise<SecretContent | undefined> {
  const found = await client.get(resources.Secret, where);
  if (found === undefined) return undefined;
  const { data = {} } = found as unknown as StoredSecret;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

/** False: the Secret exists already. */
export async function createSecret(
  client: Pick<KubeClient, 'create'>,
  { namespace, name }: ObjectName,
  content: SecretContent,
  type = 'Opaque',
): Promise<boolean> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, labels: { 'app.kubernetes.io/part-of': 'millrace' } },
    type,
    data: encoded(content),
  };
  try {
    await client.create(resources.Secret, secret);
    return true;
  } catch (error) {
    if (hasCode(error, 'MR_API_CONFLICT')) return false;
    throw error;
  }
}

export async function writeSecret(
  client: Pick<KubeClient, 'patch'>,
  where: ObjectName,
  content: SecretContent,
): Promise<void> {
  await client.patch(resources.Secret, where, { data: encoded(content) }, { type: 'merge' });
}

function encoded(content: SecretContent): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}
