/** Faults of an installation, each with the way to cause it and the expected report of doctor. */
import { Redis as RedisClient } from 'ioredis';
import { processes } from '#functions/processes.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { redisQueue } from '#functions/millrace/cluster-redis.ts';
import { leaseLeadership } from '#functions/bridge/leadership.ts';
import { leaseName } from '#functions/bridge/watch-set.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { ControlPlane } from '#test/support/control-plane/start.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';

/** A line of `doctor -o json`. */
export interface Finding {
  readonly group: string;
  readonly about: string;
  readonly verdict: string;
  readonly detail: string;
  readonly next?: string;
}

export interface Place {
  readonly plane: ControlPlane;
  /** With the rights of an administrator. */
  readonly client: KubeClient;
  readonly redisUrl: string;
}

export interface PlantedFault {
  readonly plant: (place: Place) => Promise<unknown>;
  readonly about: string;
  readonly verdict?: 'warn';
  readonly detail: RegExp;
  readonly next: RegExp;
  /** The command in the report is run unchanged, and doctor reports nothing afterwards. */
  readonly isMended: boolean;
}

const yearMs = 365 * 86_400_000;
const patch = (what: string, name: string, operations: readonly object[]) => (place: Place) =>
  typed(place, ['patch', what, name, '--type=json', '-p', JSON.stringify(operations)]);
const typed = ({ plane }: Place, args: readonly string[], input = '') =>
  kubectlOrThrow(plane.kubectl, args, { input });
const created = (object: object) => (place: Place) =>
  typed(place, ['create', '-f', '-'], JSON.stringify(object));

const deploymentOf = (namespace: string, name: string, image: string) => ({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'manager', image }] },
        },
      },
    },
  ],
});

export const plantedFaults: Readonly<Record<string, PlantedFault>> = {
  'a kind as an older version defines it': {
    plant: patch('crd', 'jobflows.api.practice.com', [
      { op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/description' },
    ]),
    about: 'jobflows.api.practice.com',
    detail: /^is not as \S+ defines it$/,
    next: /^millrace crds \| kubectl .*apply --server-side --force-conflicts -f -$/,
    isMended: true,
  },
  'a process that was removed': {
    plant: (place) => typed(place, ['delete', 'deployment', 'dispatcher', '-n', 'millrace']),
    about: 'deployments.apps/dispatcher',
    detail: /^is not there$/,
    next: /^millrace upgrade /,
    isMended: true,
  },
  'a process of another version': {
    plant: (place) =>
      typed(place, [
        ...['set', 'image', 'deployment/bridge', '-n', 'millrace'],
        'bridge=millrace.dev/bridge:0.0.1',
      ]),
    about: 'version',
    verdict: 'warn',
    detail: /: bridge 0\.0\.1$/,
    next: /^millrace upgrade /,
    isMended: true,
  },
  'webhooks without a trusted authority': {
    plant: patch('mutatingwebhookconfiguration', 'millrace-suspend-admission', [
      { op: 'remove', path: '/webhooks/0/clientConfig/caBundle' },
    ]),
    about: 'webhooks of suspend-admission',
    detail: /^have no caBundle/,
    next: /^kubectl .*rollout restart deployment\/credentials$/,
    isMended: true,
  },
  'a certificate that has ended': {
    plant: (place) =>
      serve(place, 'flow-admission', createOwnCertificate(Date.now() - 2 * yearMs).cert),
    about: 'certificate of flow-admission',
    detail: /^ended on \d{4}-\d\d-\d\d$/,
    next: /^kubectl .*delete secret flow-admission-tls$/,
    isMended: true,
  },
  'a certificate that is not trusted': {
    plant: (place) => serve(place, 'appwrapper-admission', createOwnCertificate(Date.now()).cert),
    about: 'certificate of appwrapper-admission',
    detail: /caBundle/,
    next: /^kubectl .*rollout restart deployment\/credentials$/,
    isMended: true,
  },
  'an admission that is not reached': {
    plant: () => Promise.resolve(),
    about: 'flow-admission',
    detail: /does not reach it/,
    next: /^kubectl .*rollout restart deployment\/flow-admission$/,
    isMended: false,
  },
  'a right that was taken away': {
    plant: patch('clusterrole', 'millrace:flow-advance', [{ op: 'remove', path: '/rules/0' }]),
    about: 'rights of flow-advance',
    detail: /^may not \w+ \w+/,
    next: /^millrace upgrade /,
    isMended: true,
  },
  'a Redis that evicts': {
    plant: (place) => configureRedis(place, 'maxmemory-policy', 'allkeys-lru'),
    about: 'eviction policy of Redis',
    detail: /^allkeys-lru lets Redis drop queued work/,
    next: /^redis-cli -h 127\.0\.0\.1 -p \d+ config set maxmemory-policy noeviction$/,
    isMended: true,
  },
  'a Redis that keeps nothing': {
    plant: (place) => configureRedis(place, 'save', ''),
    about: 'persistence of Redis',
    verdict: 'warn',
    detail: /^is off/,
    next: /^redis-cli .* config set appendonly yes$/,
    isMended: true,
  },
  'no leader': {
    // The test ends the election before doctor runs.
    plant: () => Promise.resolve(),
    about: 'leader of the bridge',
    detail: /^the last one has left, and none follows$/,
    next: /^kubectl .*rollout restart deployment\/bridge$/,
    isMended: false,
  },
  'work that no dispatcher takes': {
    plant: (place) => queued(place, 'flow-advance', 'waits'),
    about: 'queue',
    detail: /no process takes them: 1 for flow-advance$/,
    next: /^kubectl .*rollout restart deployment\/dispatcher$/,
    isMended: false,
  },
  'work that was put aside': {
    plant: (place) => queued(place, 'daemon-fanout', 'parked', 'the reply was 400'),
    about: 'items of daemon-fanout',
    detail: /^1 parked; the last one: the reply was 400$/,
    next: /^millrace queue retry --all --redis redis:\/\/127\.0\.0\.1:\d+ /,
    isMended: true,
  },
  'an object whose finalizer stays': {
    plant: async (place) => {
      // Exempt from webhooks, so they are not called.
      const metadata = { name: 'stuck', namespace: 'kube-system' };
      const wrapper = { apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper' };
      const finalizers = ['workload.codeflare.dev/finalizer'];
      const pod = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inner' } };
      await created({
        ...wrapper,
        metadata: { ...metadata, finalizers },
        spec: { components: [{ template: pod }] },
      })(place);
      await typed(place, ['delete', 'appwrapper', 'stuck', '-n', 'kube-system', '--wait=false']);
    },
    about: 'appwrappers.workload.codeflare.dev/stuck of kube-system',
    detail: /held by workload\.codeflare\.dev\/finalizer and no Millrace is at work/,
    next: /^kubectl .*-n kube-system patch appwrappers\.workload\.codeflare\.dev stuck --type=merge -p /,
    isMended: true,
  },
  'a Kueue of before': {
    plant: created(
      deploymentOf('kueue-system', 'kueue-controller-manager', 'example.com/kueue:v0.17.0'),
    ),
    about: 'Kueue',
    detail: /^0\.17\.0 is not supported/,
    next: /^install Kueue 0\.18 or newer: /,
    isMended: false,
  },
  'a kind of others with a name of ours': {
    plant: created({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'jobflows.flow.volcano.sh' },
      spec: {
        group: 'flow.volcano.sh',
        scope: 'Namespaced',
        names: { plural: 'jobflows', singular: 'jobflow', kind: 'JobFlow', shortNames: ['jf'] },
        versions: [
          {
            ...{ name: 'v1alpha1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    }),
    about: 'names of kinds',
    verdict: 'warn',
    detail: /jobflows\.flow\.volcano\.sh instead of jobflows\.api\.practice\.com/,
    next: /^kubectl .*get jobflows\.api\.practice\.com -A$/,
    isMended: false,
  },
  'webhooks of another controller of AppWrappers': {
    plant: created({
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
      metadata: { name: 'other-appwrappers' },
      webhooks: [
        {
          ...{ name: 'other.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
          ...{ failurePolicy: 'Ignore', clientConfig: { url: 'https://127.0.0.1:9/' } },
          rules: [
            {
              ...{ apiGroups: ['workload.codeflare.dev'], apiVersions: ['v1beta2'] },
              ...{ resources: ['appwrappers'], operations: ['CREATE'] },
            },
          ],
        },
      ],
    }),
    about: 'webhooks of AppWrappers',
    verdict: 'warn',
    detail: /^MutatingWebhookConfiguration other-appwrappers is not of Millrace/,
    next: /^kubectl .*describe mutatingwebhookconfigurations other-appwrappers$/,
    isMended: false,
  },
  'another controller of AppWrappers': {
    plant: created(
      deploymentOf('appwrapper-system', 'appwrapper-controller-manager', 'example.com/other:v1'),
    ),
    about: 'controllers of AppWrappers',
    detail: /^the original controller runs/,
    next: /^kubectl .*delete deployment -n appwrapper-system appwrapper-controller-manager$/,
    isMended: true,
  },
};

/** The work of `credentials`, because no container runs here. */
export async function playCredentials(place: Place): Promise<void> {
  const admissions = processes.filter(({ part }) => part === 'admission');
  const text = await typed(place, [
    'get',
    'mutatingwebhookconfigurations,validatingwebhookconfigurations',
    ...['-l', 'app.kubernetes.io/part-of=millrace', '-o', 'json'],
  ]);
  const { items } = JSON.parse(text) as { readonly items: readonly Configuration[] };
  for (const { name } of admissions) {
    const { cert } = createOwnCertificate(Date.now());
    await serve(place, name, cert);
    const value = Buffer.from(cert).toString('base64');
    for (const { kind, metadata, webhooks } of items) {
      if (metadata.name !== `millrace-${name}`) continue;
      const operations = webhooks.flatMap((_, index) => {
        const at = `/webhooks/${index}/clientConfig`;
        return [
          { op: 'add', path: `${at}/caBundle`, value },
          { op: 'add', path: `${at}/service/path`, value: '/token/name' },
        ];
      });
      await patch(kind.toLowerCase(), metadata.name, operations)(place);
    }
  }
}

interface Configuration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly object[];
}

/** The bridge's election, in which the process takes part. */
export function playLeader({ client }: Pick<Place, 'client'>): AsyncDisposable {
  const over = new AbortController();
  const ended = leaseLeadership({
    ...{ client, identity: 'played', clock: systemClock, random: Math.random },
    lease: { namespace: 'millrace', name: leaseName },
    logger: { warn: () => undefined },
  }).run(over.signal, () => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await ended;
    },
  };
}

function serve(place: Place, process: string, cert: string): Promise<string> {
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls' },
    metadata: { name: `${process}-tls`, namespace: 'millrace' },
    stringData: { 'tls.crt': cert, 'tls.key': 'of no certificate' },
  };
  return typed(place, ['apply', '--server-side', '-f', '-'], JSON.stringify(secret));
}

export async function configureRedis(
  { redisUrl }: Place,
  setting: string,
  value: string,
): Promise<void> {
  const client = new RedisClient(redisUrl);
  await client.config('SET', setting, value);
  await client.quit();
}

async function queued(
  { client, redisUrl: url }: Place,
  name: string,
  uid: string,
  reason?: string,
): Promise<void> {
  await using queue = await redisQueue({ url, insecure: false }, client);
  const key = {
    ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
    ...{ namespace: 'default', name: uid, uid: asUid(uid) },
  };
  await queue.add([{ function: name, key, cause: asEventId(`${uid}.1`) }]);
  if (reason === undefined) return;
  const lease = await queue.take(name, AbortSignal.timeout(30_000));
  await lease?.park(reason);
}
