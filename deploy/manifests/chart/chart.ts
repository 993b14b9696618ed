/** The installation as a Helm chart: the same manifests, with holes for what may be chosen. */
import { manifestStream } from '#shared/api/manifest-stream.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { installationOf, type Product } from '#shared/installation/installation.ts';
import type { InstallationSettings } from '#shared/installation/settings.ts';
import { Holes } from './holes.ts';
import { notes } from './notes.ts';
import { jsonSchema, valuesFile, valuesSchema } from './values.ts';

interface Section {
  /** Of the file in `templates`. */
  readonly name: string;
  readonly objects: readonly JsonObject[];
  /** Of a template: they are there when it is true. */
  readonly when?: string;
  readonly otherwise?: readonly JsonObject[];
}

/** By path below the chart. */
export function chartFiles(product: Product, version: string): ReadonlyMap<string, string> {
  const holes = new Holes();
  const installation = installationOf(product, settingsWith(holes));
  const keep = (object: JsonObject): JsonObject => {
    const metadata = object['metadata'] as JsonObject;
    const annotations = holes.whenSet(
      '.Values.crds.keep',
      'dict "helm.sh/resource-policy" "keep" | toJson',
    );
    return { ...object, metadata: { ...metadata, annotations } };
  };
  const sections: readonly Section[] = [
    { name: 'namespace', objects: installation.namespace, when: '.Values.namespace.create' },
    { name: 'crds', objects: installation.definitions.map(keep), when: '.Values.crds.enabled' },
    { name: 'policies', objects: installation.policies, when: '.Values.crds.enabled' },
    { name: 'access', objects: [...installation.access.values()].flat() },
    { name: 'user-roles', objects: installation.userRoles },
    { name: 'workers', objects: installation.workers },
    {
      name: 'functions',
      objects: installation.knativeServices,
      when: '.Values.knative.enabled',
      otherwise: installation.deployments,
    },
    { name: 'webhook-services', objects: installation.webhookServices },
    {
      name: 'webhooks',
      objects: installation.webhooksOfCertManager,
      when: '.Values.certManager.enabled',
      otherwise: installation.webhooks,
    },
    {
      name: 'certificates',
      objects: installation.certificates,
      when: '.Values.certManager.enabled',
    },
    {
      name: 'disruption-budgets',
      objects: installation.disruptionBudgets,
      when: '.Values.podDisruptionBudget.enabled',
    },
    {
      name: 'network-policies',
      objects: installation.networkPolicies,
      when: '.Values.networkPolicy.enabled',
    },
    { name: 'redis', objects: installation.redis, when: '.Values.redis.trial' },
    {
      name: 'redis-network-policy',
      objects: installation.redisNetworkPolicy,
      when: 'and .Values.redis.trial .Values.networkPolicy.enabled',
    },
    { name: 'monitoring', objects: installation.monitoring, when: '.Values.monitoring.enabled' },
  ];
  const schema = valuesSchema(product, version);
  return new Map([
    ['Chart.yaml', manifestStream([chartOf(version)])],
    ['values.yaml', valuesFile(schema)],
    ['values.schema.json', `${JSON.stringify(jsonSchema(schema), null, 2)}\n`],
    ['templates/NOTES.txt', notes],
    ...sections.map((each) => [`templates/${each.name}.yaml`, templateOf(each, holes)] as const),
  ]);
}

function templateOf({ objects, when, otherwise }: Section, holes: Holes): string {
  const text = holes.fill(manifestStream(objects));
  if (when === undefined) return text;
  const other =
    otherwise === undefined ? '' : `{{- else }}\n${holes.fill(manifestStream(otherwise))}`;
  return `{{- if ${when} }}\n${text}${other}{{- end }}\n`;
}

function settingsWith(holes: Holes): InstallationSettings {
  const prefix = holes.said('.Values.image.prefix');
  const tag = holes.said('.Values.image.tag | default .Chart.AppVersion');
  const of = (process: string, field: string) => `(index .Values.processes "${process}").${field}`;
  return {
    namespace: holes.said('.Release.Namespace'),
    imageOf: (process) => `${prefix}/${process}:${tag}`,
    imagePullPolicy: holes.said('.Values.image.pullPolicy'),
    logLevel: holes.said('.Values.logLevel'),
    policy: holes.said('.Values.policy | quote'),
    trialRedis: holes.said('.Values.redis.trial | quote'),
    redisImage: holes.said('.Values.redis.image'),
    namespaced: false,
    certManager: holes.said('.Values.certManager.enabled | quote'),
    kueueFrameworks: holes.whenSet('.Values.kueue.frameworks', 'quote .'),
    otlpEndpoint: holes.whenSet('.Values.otel.endpoint', 'quote .'),
    scaleOf: (process) => ({
      replicas: holes.said(of(process, 'replicas')),
      minScale: holes.said(`${of(process, 'replicas')} | quote`),
      maxScale: holes.said(`${of(process, 'maxReplicas')} | quote`),
      resources: holes.said(`toJson ${of(process, 'resources')}`),
    }),
    podFields: {
      nodeSelector: holes.whenSet('.Values.nodeSelector'),
      tolerations: holes.whenSet('.Values.tolerations'),
      priorityClassName: holes.whenSet('.Values.priorityClassName'),
      imagePullSecrets: holes.whenSet('.Values.image.pullSecrets'),
    },
  };
}

function chartOf(version: string): JsonObject {
  return {
    apiVersion: 'v2',
    name: 'millrace',
    description: 'Event-driven batch controller for Kubernetes.',
    type: 'application',
    version,
    appVersion: version,
    // The admission policies use CEL functions that older ones do not have.
    kubeVersion: '>=1.33.0-0',
    keywords: ['batch', 'jobs', 'workflow', 'knative', 'cloudevents'],
    annotations: {
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/operator': 'true',
      'artifacthub.io/category': 'integration-delivery',
    },
  };
}
