/** The installation as a Helm chart: the same manifests with placeholders for values. */
import { manifestStream } from '#shared/api/manifest-stream.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import {
  type Installation,
  installationOf,
  type Product,
} from '#shared/installation/installation.ts';
import { deliveryKeyFile } from '#shared/installation/names.ts';
import type { DeliveryProof, InstallationSettings } from '#shared/installation/settings.ts';
import { Holes } from './holes.ts';
import { notes } from './notes.ts';
import { jsonSchema, valuesFile, valuesSchema } from './values.ts';

/** Manifests that are enabled together, for the whole cluster and for the release's namespace alone. */
interface Group {
  readonly everywhere: readonly JsonObject[];
  readonly own: readonly JsonObject[];
}

interface Section {
  /** Name of the file in `templates`. */
  readonly name: string;
  readonly groups: readonly Group[];
  /** Template condition: the manifests are included if it is true. */
  readonly when?: string;
  readonly otherwise?: readonly Group[];
}

/** By path below the chart. */
export function chartFiles(product: Product, version: string): ReadonlyMap<string, string> {
  const holes = new Holes();
  const settings = settingsWith(holes);
  const everywhere = installationOf(product, settings);
  const ofOwn = installationOf(product, { ...settings, namespaced: true });
  const each = (of: (installation: Installation) => readonly JsonObject[]): readonly Group[] => {
    const own = of(ofOwn);
    return of(everywhere).map((object, index) => ({
      everywhere: [object],
      own: own.slice(index, index + 1),
    }));
  };
  const access = [...everywhere.access].map(([process, objects]): Group => ({
    everywhere: objects,
    own: ofOwn.access.get(process) ?? [],
  }));
  const keep = (object: JsonObject): JsonObject => {
    const metadata = object['metadata'] as JsonObject;
    const annotations = holes.whenSet(
      '.Values.crds.keep',
      'dict "helm.sh/resource-policy" "keep" | toJson',
    );
    return { ...object, metadata: { ...metadata, annotations } };
  };
  const definitions = everywhere.definitions.map(keep);
  const sections: readonly Section[] = [
    { name: 'namespace', groups: each((of) => of.namespace), when: '.Values.namespace.create' },
    { name: 'crds', groups: each(() => definitions), when: '.Values.crds.enabled' },
    { name: 'policies', groups: each((of) => of.policies), when: '.Values.crds.enabled' },
    { name: 'access', groups: access },
    { name: 'user-roles', groups: each((of) => of.userRoles) },
    {
      name: 'bridge',
      groups: each((of) => of.containerSources),
      when: '.Values.knative.containerSource',
      otherwise: each((of) => of.bridge),
    },
    { name: 'workers', groups: each((of) => of.workers) },
    {
      name: 'functions',
      groups: each((of) => of.knativeServices),
      when: '.Values.knative.enabled',
      otherwise: each((of) => of.deployments),
    },
    { name: 'webhook-services', groups: each((of) => of.webhookServices) },
    {
      name: 'webhooks',
      groups: each((of) => of.webhooksOfCertManager),
      when: '.Values.certManager.enabled',
      otherwise: each((of) => of.webhooks),
    },
    {
      name: 'certificates',
      groups: each((of) => of.certificates),
      when: '.Values.certManager.enabled',
    },
    {
      name: 'disruption-budgets',
      groups: each((of) => of.disruptionBudgets),
      when: '.Values.podDisruptionBudget.enabled',
    },
    {
      name: 'network-policies',
      groups: each((of) => of.networkPolicies),
      when: '.Values.networkPolicy.enabled',
    },
    { name: 'redis', groups: each((of) => of.redis), when: '.Values.redis.trial' },
    {
      name: 'redis-network-policy',
      groups: each((of) => of.redisNetworkPolicy),
      when: 'and .Values.redis.trial .Values.networkPolicy.enabled',
    },
    {
      name: 'knative-eventing',
      groups: each((of) => of.eventing),
      when: 'and .Values.knative.eventing (not .Values.knative.containerSource)',
    },
    {
      name: 'knative-eventing-container-source',
      groups: each((of) => of.brokerOfBridge),
      when: '.Values.knative.containerSource',
    },
    {
      name: 'kueue-manager',
      groups: each((of) => of.kueueManager),
      when: '.Values.kueue.enabled',
    },
    {
      name: 'monitoring',
      groups: each((of) => of.monitoring),
      when: '.Values.monitoring.enabled',
    },
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

function templateOf({ groups, when, otherwise }: Section, holes: Holes): string {
  const text = textOf(groups, holes);
  if (when === undefined) return text;
  const other = otherwise === undefined ? '' : `{{- else }}\n${textOf(otherwise, holes)}`;
  return `{{- if ${when} }}\n${text}${other}{{- end }}\n`;
}

function textOf(groups: readonly Group[], holes: Holes): string {
  const text = (objects: readonly JsonObject[]): string => holes.fill(manifestStream(objects));
  const either = ({ everywhere, own }: Group): string => {
    const [wide, narrow] = [text(everywhere), text(own)];
    if (wide === narrow) return wide;
    return `{{- if .Values.namespaced }}\n${narrow}{{- else }}\n${wide}{{- end }}\n`;
  };
  return groups.map(either).join('---\n');
}

function settingsWith(holes: Holes): InstallationSettings {
  const prefix = holes.said('.Values.image.prefix');
  const tag = holes.said('.Values.image.tag | default .Chart.AppVersion');
  const unsignedWhen = (condition: string): DeliveryProof => ({
    keyFile: holes.said(`ternary "" "${deliveryKeyFile}" (${condition}) | quote`),
    allowUnsigned: holes.whenSet(condition, 'quote .'),
  });
  const of = (process: string, field: string) => `(index .Values.processes "${process}").${field}`;
  return {
    namespace: holes.said('.Release.Namespace'),
    imageOf: (process) => `${prefix}/${process}:${tag}`,
    imagePullPolicy: holes.said('.Values.image.pullPolicy'),
    logLevel: holes.said('.Values.logLevel'),
    policy: holes.said('.Values.policy | quote'),
    trialRedis: holes.said('.Values.redis.trial | quote'),
    ownUrlIsOptional: holes.said('not .Values.redis.trial'),
    sharedUrlIsOptional: holes.said('.Values.redis.trial'),
    redisImage: holes.said('.Values.redis.image'),
    namespaced: false,
    certManager: holes.said('.Values.certManager.enabled | quote'),
    proofOfWoken: unsignedWhen('or .Values.knative.eventing .Values.knative.containerSource'),
    proof: unsignedWhen('.Values.knative.containerSource'),
    kueueFrameworks: holes.whenSet('.Values.kueue.frameworks', 'quote .'),
    trustNamespaces: holes.whenSet('.Values.trustNamespaces', 'quote .'),
    eventsTo: holes.whenSet('.Values.events.to', 'quote .'),
    otlpEndpoint: holes.whenSet('.Values.otel.endpoint', 'quote .'),
    runbookUrl: holes.said('.Values.monitoring.runbookUrl'),
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
    // The admission policies use CEL functions that older versions lack.
    kubeVersion: '>=1.33.0-0',
    keywords: ['batch', 'jobs', 'workflow', 'knative', 'cloudevents'],
    annotations: {
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/operator': 'true',
      'artifacthub.io/category': 'integration-delivery',
    },
  };
}
