import { createHash, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Kept, keepCredentials } from '#functions/credentials/keep-credentials.ts';
import { processes } from '#functions/processes.ts';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseDeliveryKeys } from '#shared/events/delivery-signature.ts';
import { webhooksOf } from '#shared/installation/webhooks.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import type { HttpKubeClient } from '#shared/kube/http-client.ts';
import { bindOwnRole } from '#test/support/cluster-parts.ts';
import { freshNamespace, openClient } from '#test/support/cluster-client.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

const name = 'flow-admission';
const redisUsers = ['bridge', 'dispatcher'];
const logger = { info: () => undefined };
const monthMs = 30 * 86_400_000;

interface SecretObject extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}
interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: {
      readonly caBundle?: string;
      readonly service?: { readonly path?: string };
    };
  }[];
}

const decoded = (text = '') => Buffer.from(text, 'base64').toString();
const certificatesIn = (pem: string) =>
  (pem.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
    (each) => new X509Certificate(each),
  );

describeWithCluster('credentials, under its own role', (cluster) => {
  interface Place {
    readonly admin: HttpKubeClient;
    readonly namespace: string;
    readonly keep: (
      nowMs?: number,
      admissions?: readonly string[],
      certManager?: boolean,
    ) => Promise<Kept>;
    readonly secret: (name: string) => Promise<Readonly<Record<string, string>>>;
  }

  async function inPlace(body: (place: Place) => Promise<void>): Promise<void> {
    await using opened = await openClient(cluster.kubeconfig, 'credentials-test');
    await using own = await openClient(cluster.kubeconfigs['credentials']!, 'credentials');
    const admin = opened.client;
    const namespace = await freshNamespace(admin, 'credentials');
    await bindOwnRole(cluster, 'credentials', namespace);
    const right = ['patch', 'secrets/millrace-delivery'] as const;
    await untilAuthorized(cluster.kubectl, { user: 'credentials', namespace, right });
    await body({
      admin,
      namespace,
      keep: (nowMs = Date.now(), admissions = [name], certManager = false) =>
        keepCredentials({
          ...{ client: own.client, namespace, admissions, logger },
          ...{ redisUsers, certManager },
          clock: { now: () => nowMs },
        }),
      secret: async (wanted) => {
        const found = await admin.get(resources.Secret, { namespace, name: wanted });
        const { data } = found as SecretObject;
        return Object.fromEntries(
          Object.entries(data).map(([key, value]) => [key, decoded(value)]),
        );
      },
    });
  }

  it('makes what is missing, and leaves what is there as it is', async () => {
    await inPlace(async ({ admin, keep, secret, namespace }) => {
      await keep();
      const { key = '' } = await secret('millrace-delivery');
      expect(parseDeliveryKeys(key, 'the Secret')).toHaveLength(1);
      const redis = await secret('millrace-redis');
      const served = await secret('redis-tls');
      expect(redis['ca.crt']).toBe(served['tls.crt']);
      expect(
        new X509Certificate(served['tls.crt']!).checkHost(`redis.${namespace}.svc`),
      ).toBeDefined();
      for (const user of redisUsers) {
        const { username, password, host, protocol } = new URL(redis[`${user}-url`]!);
        expect([protocol, host, username]).toEqual([
          'rediss:',
          `redis.${namespace}.svc:6379`,
          user,
        ]);
        const hash = createHash('sha256').update(password).digest('hex');
        expect(redis[`${user}-sha256`]).toBe(hash);
      }
      expect(redis['cluster']).toBe(await clusterUid(admin));
      const tls = await secret('flow-admission-tls');
      await keep();
      expect((await secret('millrace-delivery'))['key']).toBe(key);
      expect(await secret('millrace-redis')).toEqual(redis);
      expect(await secret('flow-admission-tls')).toEqual(tls);
    });
  });

  it('completes the Secret of an installation whose Redis had one password, and keeps what is in it', async () => {
    await inPlace(async ({ admin, keep, secret, namespace }) => {
      const metadata = { namespace, name: 'millrace-redis' };
      const before = { url: 'redis://:old@redis.svc:6379', password: 'old', 'bridge-url': 'x' };
      const secretBefore = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: before };
      await admin.create(resources.Secret, secretBefore);
      await keep();
      const redis = await secret('millrace-redis');
      expect(redis).toMatchObject({ url: before.url, password: 'old' });
      expect(redis['bridge-url']).toMatch(/^rediss:/);
      await keep();
      expect(await secret('millrace-redis')).toEqual(redis);
    });
  });

  it('has another certificate of Redis trusted before it can be served', async () => {
    await inPlace(async ({ keep, secret }) => {
      const startMs = Date.now();
      await keep(startMs);
      const first = (await secret('redis-tls'))['tls.crt']!;
      await keep(startMs + 9 * 12 * monthMs);
      expect((await secret('redis-tls'))['tls.crt']).toBe(first);
      await keep(startMs + 119 * monthMs);
      const second = (await secret('redis-tls'))['tls.crt']!;
      expect(second).not.toBe(first);
      expect((await secret('millrace-redis'))['ca.crt']).toBe(`${first}${second}`);
    });
  });

  it.each([false, true])(
    'gives only the API server the path of reviews, and updates it, with cert-manager: %s',
    async (certManager) => {
      await inPlace(async ({ admin, keep, secret, namespace }) => {
        const process = processes.find((each) => each.name === name)!;
        const configurations = webhooksOf(process, { namespace, namespaced: false }).map(harmless);
        for (const each of configurations) await admin.create(resourceOf(each), each);
        const paths = async (): Promise<readonly string[]> => {
          const found = await Promise.all(
            configurations.map((each) =>
              admin.get(resourceOf(each), { namespace: '', name: each.metadata.name }),
            ),
          );
          return found.flatMap((each) =>
            (each as WebhookConfiguration).webhooks.map(
              ({ clientConfig: { service } }) => service?.path ?? '',
            ),
          );
        };
        try {
          expect(await paths()).toEqual(['', '']);
          expect(await keep(Date.now(), [name], certManager)).toMatchObject({ hasUpdated: true });
          const { token = '' } = await secret('millrace-reviews');
          expect(token).toMatch(/^[0-9a-f]{64}$/);
          expect(await paths()).toEqual([`/${token}/flow-submitter`, `/${token}/flow-validation`]);
          expect(await keep(Date.now(), [name], certManager)).toMatchObject({ hasUpdated: false });
          const next = 'b'.repeat(64);
          const data = { token: Buffer.from(`${next} ${token}`).toString('base64') };
          const at = { namespace, name: 'millrace-reviews' };
          await admin.patch(resources.Secret, at, { data }, { type: 'merge' });
          expect(await keep(Date.now(), [name], certManager)).toMatchObject({ hasUpdated: true });
          expect(await paths()).toEqual([`/${next}/flow-submitter`, `/${next}/flow-validation`]);
        } finally {
          for (const each of configurations) {
            const found = await admin.get(resourceOf(each), {
              namespace: '',
              name: each.metadata.name,
            });
            const { uid } = found!.metadata;
            await admin.delete(
              resourceOf(each),
              { namespace: '', name: each.metadata.name },
              { uid },
            );
          }
        }
      });
    },
  );

  it('renews a certificate in time; a server of the old one is still trusted (certificate-1 and certificate-2)', async () => {
    await inPlace(async ({ admin, keep, secret, namespace }) => {
      const process = processes.find((each) => each.name === name)!;
      const configurations = webhooksOf(process, { namespace, namespaced: false }).map(harmless);
      expect(await keep()).toEqual({ untrusted: [name], hasUpdated: false });
      for (const each of configurations) await admin.create(resourceOf(each), each);
      try {
        const trusted = async (): Promise<readonly X509Certificate[]> => {
          const found = await Promise.all(
            configurations.map(async (each) => {
              const at = { namespace: '', name: each.metadata.name };
              return (await admin.get(resourceOf(each), at)) as WebhookConfiguration;
            }),
          );
          const bundles = found.flatMap(({ webhooks }) =>
            webhooks.map(({ clientConfig: { caBundle } }) => decoded(caBundle)),
          );
          expect(new Set(bundles).size).toBe(1);
          return certificatesIn(bundles[0] ?? '');
        };
        const served = async () =>
          new X509Certificate((await secret('flow-admission-tls'))['tls.crt']!);
        const startMs = Date.now();
        expect(await keep(startMs)).toEqual({ untrusted: [], hasUpdated: true });
        const first = await served();
        expect(first.checkHost(`flow-admission-webhook.${namespace}.svc`)).toBeDefined();
        expect((await trusted()).map((each) => each.fingerprint256)).toEqual([
          first.fingerprint256,
        ]);

        expect(await keep(startMs + 7 * monthMs)).toEqual({ untrusted: [], hasUpdated: false });
        expect((await served()).fingerprint256).toBe(first.fingerprint256);
        await keep(startMs + 9 * monthMs);
        const second = await served();
        expect(second.fingerprint256).not.toBe(first.fingerprint256);
        expect((await trusted()).map((each) => each.fingerprint256)).toEqual([
          first.fingerprint256,
          second.fingerprint256,
        ]);
        expect(second.verify(second.publicKey)).toBe(true);

        await keep(startMs + 18 * monthMs);
        const third = await served();
        expect((await trusted()).map((each) => each.fingerprint256)).toEqual([
          second.fingerprint256,
          third.fingerprint256,
        ]);
      } finally {
        for (const each of configurations) {
          await admin.delete(resourceOf(each), { namespace: '', name: each.metadata.name });
        }
      }
    });
  });

  it('touches no Secret of anybody else', async () => {
    await inPlace(async ({ keep }) => {
      await expect(keep(Date.now(), ['somebody-else'])).rejects.toMatchObject({
        code: 'MR_API_FORBIDDEN',
      });
    });
  });
});

/** No process answers for these webhooks here, and none of them is called. */
function harmless(configuration: unknown): NewObject {
  const { webhooks, ...rest } = configuration as NewObject & { webhooks: readonly object[] };
  const nowhere = { matchLabels: { 'millrace.dev/no-namespace': 'has-it' } };
  const muted = webhooks.map((each) => ({ ...each, namespaceSelector: nowhere }));
  return { ...rest, webhooks: muted } as NewObject;
}

function resourceOf({ kind }: NewObject) {
  return resources[kind as 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration'];
}
