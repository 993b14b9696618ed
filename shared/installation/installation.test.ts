import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { defineAdmission } from '#shared/admission/admission.ts';
import { resources } from '#shared/domain/resources.ts';
import {
  deliveryKeySettings,
  listenSettings,
  redisSettings,
  servedNamespaceSetting,
} from '#shared/runtime/process/service-settings.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { defaultSettings, withAnotherRedis } from './default-settings.ts';
import { installationOf, manifestsOf } from './installation.ts';

const text = (name: string) => Type.String({ env: [name] });

const caller: DeclaredProcess = {
  name: 'caller',
  part: 'worker',
  access: [{ resource: resources.Lease, namespace: 'own', verbs: ['create'] }],
  redis: [{ keys: ['calls'], commands: ['get'] }],
  configuration: Type.Object({
    ...deliveryKeySettings,
    ...listenSettings,
    ...redisSettings,
    own: text('MILLRACE_REDIS_URL'),
    redis: text('REDIS_URL'),
    called: text('URL_OF_CALLED'),
  }),
};
const called: DeclaredProcess = {
  name: 'called',
  part: 'function',
  access: [{ resource: resources.Job, verbs: ['get'] }],
  configuration: Type.Object({ ...listenSettings, policy: text('MILLRACE_POLICY') }),
};
const judge: DeclaredProcess = {
  name: 'judge',
  part: 'admission',
  access: [],
  configuration: Type.Object({ cert: text('MILLRACE_TLS_CERT_FILE') }),
  admissions: [
    defineAdmission({
      name: 'judges-jobs',
      mode: 'validating',
      reviews: [{ resource: resources.Job, operations: ['CREATE'] }],
      registration: { failurePolicy: 'Fail', timeoutSeconds: 3 },
      decide: () => ({ allowed: true }),
    }),
  ],
};

const processes = [caller, called, judge];
const settings = { ...defaultSettings(processes, '1.2.3'), namespace: 'batch' };
const urlVariableOf = (name: string) => `URL_OF_${name.toUpperCase()}`;
const installation = installationOf({ kinds: [], processes, urlVariableOf }, settings);

interface Found {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, never>>;
}

const all = (variant: 'plain' | 'knative') =>
  manifestsOf(installation, variant) as unknown as readonly Found[];
const find = (variant: 'plain' | 'knative', kind: string, name: string) =>
  all(variant).find((each) => each.kind === kind && each.metadata.name === name);

describe('an installation', () => {
  it('gives a process the environment variables that it reads, and no other', () => {
    const variablesOf = (name: string) => {
      const { spec } = find('plain', 'Deployment', name) as unknown as {
        spec: { template: { spec: { containers: [{ env: { name: string }[] }] } } };
      };
      return spec.template.spec.containers[0].env.map((each) => each.name);
    };
    expect(variablesOf('caller')).toEqual([
      'MILLRACE_HOST',
      'MILLRACE_REDIS_URL',
      'REDIS_URL',
      'MILLRACE_REDIS_CA_FILE',
      'MILLRACE_DELIVERY_KEY_FILE',
      'POD_NAMESPACE',
      'URL_OF_CALLED',
    ]);
    expect(variablesOf('called')).toEqual(['MILLRACE_HOST', 'MILLRACE_POLICY']);
    expect(variablesOf('judge')).toEqual(['MILLRACE_TLS_CERT_FILE']);
  });

  it('names where a function is so that an ingress of Knative knows it too', () => {
    expect(JSON.stringify(find('plain', 'Deployment', 'caller'))).toContain(
      '"http://called.$(POD_NAMESPACE).svc"',
    );
  });

  it('has rights in its own namespace, and in the cluster for what is in none, where it serves that one', () => {
    const reader: DeclaredProcess = {
      name: 'reader',
      part: 'worker',
      access: [
        { resource: resources.Job, verbs: ['list'] },
        { resource: resources.Node, verbs: ['list'] },
      ],
      configuration: Type.Object(servedNamespaceSetting),
    };
    const product = { kinds: [], processes: [reader, judge], urlVariableOf };
    const narrow = installationOf(product, { ...settings, namespaced: true });
    const roles = (narrow.access.get('reader') ?? []).filter(({ rules }) => rules !== undefined);
    expect(roles).toMatchObject([
      { kind: 'ClusterRole', rules: [{ resources: ['nodes'] }] },
      { kind: 'Role', metadata: { namespace: 'batch' }, rules: [{ resources: ['jobs'] }] },
    ]);
    expect(JSON.stringify(narrow.workers)).toContain('"name":"MILLRACE_SERVED_NAMESPACE"');
    expect(JSON.stringify(narrow.webhooks)).toContain('"operator":"In","values":["batch"]');
    const wide = installationOf(product, settings);
    expect(JSON.stringify(wide.workers)).not.toContain('MILLRACE_SERVED_NAMESPACE');
    expect(JSON.stringify(wide.webhooks)).not.toContain('"operator":"In"');
  });

  it('has what can be a source of Knative run as one, with the same Pods', () => {
    const bridge: DeclaredProcess = {
      name: 'reporter',
      part: 'worker',
      access: [],
      configuration: Type.Object({ ...listenSettings, sink: text('K_SINK') }),
    };
    const reporting: DeclaredProcess = { ...called, decides: [resources.JobFlow] };
    const product = { kinds: [], processes: [bridge, reporting, judge], urlVariableOf };
    const {
      bridge: deployed,
      containerSources,
      brokerOfBridge,
    } = installationOf(product, settings);
    const [{ spec }] = deployed as unknown as [{ spec: { template: object } }];
    expect(containerSources).toMatchObject([
      {
        kind: 'ContainerSource',
        metadata: { name: 'reporter' },
        spec: { template: spec.template },
      },
    ]);
    expect(brokerOfBridge.map(({ kind }) => kind)).toEqual(['Broker', 'Trigger', 'NetworkPolicy']);
    expect(brokerOfBridge[1]).toMatchObject({
      spec: {
        filter: { attributes: { apiversion: 'api.practice.com/v1alpha1', kind: 'JobFlow' } },
        subscriber: { ref: { kind: 'Service', name: 'called' } },
      },
    });
  });

  it('gives a Secret to each process that reads it', () => {
    const mounted = (name: string) =>
      JSON.stringify(find('plain', 'Deployment', name)).match(/"secretName":"[^"]+"/g) ?? [];
    expect(mounted('caller')).toEqual([
      '"secretName":"millrace-redis"',
      '"secretName":"millrace-delivery"',
    ]);
    expect(mounted('called')).toEqual([]);
    expect(mounted('judge')).toEqual(['"secretName":"judge-tls"']);
  });

  it('has a Redis that knows who asks, and lets him do what he declares', () => {
    const redis = JSON.stringify(find('plain', 'Deployment', 'redis'));
    expect(redis).toContain('"--port","0","--tls-port","6379"');
    const user = '"--user","caller","on","#$(SHA256_CALLER)","resetchannels"';
    expect(redis).toContain(`"--user","default","off",${user}`);
    expect(redis).toContain('"(~{millrace:$(CLUSTER_UID)}:calls +get)"');
    expect(redis).not.toContain('SHA256_CALLED');
    const own = { name: 'millrace-redis', key: 'caller-url' };
    const ownOf = (of: typeof installation) => JSON.stringify(of.workers);
    expect(ownOf(installation)).toContain(JSON.stringify({ ...own, optional: false }));
    const another = installationOf(
      { kinds: [], processes, urlVariableOf },
      { ...settings, ...withAnotherRedis },
    );
    expect(ownOf(another)).toContain(JSON.stringify({ ...own, optional: true }));
  });

  it('has who is called as a Deployment or as a Knative Service, and who waits as a Deployment', () => {
    const kindsOf = (variant: 'plain' | 'knative', name: string) =>
      all(variant)
        .filter((each) => each.metadata.name === name)
        .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
        .filter((each) => /Deployment$|serving/.test(each));
    for (const variant of ['plain', 'knative'] as const) {
      expect(kindsOf(variant, 'caller')).toEqual(['apps/v1 Deployment']);
    }
    expect(kindsOf('plain', 'called')).toEqual(['apps/v1 Deployment']);
    expect(kindsOf('knative', 'called')).toEqual(['serving.knative.dev/v1 Service']);
    expect(kindsOf('knative', 'judge')).toEqual(['serving.knative.dev/v1 Service']);
  });

  it('has an admission called through a Service that Knative does not take for itself', () => {
    for (const variant of ['plain', 'knative'] as const) {
      expect(find(variant, 'ValidatingWebhookConfiguration', 'millrace-judge')).toMatchObject({
        webhooks: [{ clientConfig: { service: { name: 'judge-webhook', namespace: 'batch' } } }],
      });
      expect(find(variant, 'Service', 'judge-webhook')).toMatchObject({
        spec: { ports: [{ port: 443, targetPort: 8080 }] },
      });
    }
  });

  it('binds each process to what it declares, in its own namespace where it says so', () => {
    const bindings = all('plain').filter(({ kind }) => kind.endsWith('RoleBinding'));
    expect(bindings.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual(
      [
        ['ClusterRoleBinding', 'millrace:caller', undefined],
        ['RoleBinding', 'millrace:caller', 'batch'],
        ['ClusterRoleBinding', 'millrace:called', undefined],
        ['ClusterRoleBinding', 'millrace:judge', undefined],
      ],
    );
  });

  it('puts all into one namespace', () => {
    const elsewhere = all('knative').filter(
      ({ metadata: { namespace = 'batch' } }) => namespace !== 'batch',
    );
    expect(elsewhere).toEqual([]);
  });
});
