/**
 * The installation as kustomize folders: a base, Knative and plain Deployments on top, overlays and components.
 * Definitions, policies and roles stay folders for `kubectl apply -f` too. Their kustomization file is
 * `Kustomization`, which that command ignores.
 */
import { basename } from 'node:path';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { accessOf } from '#shared/installation/access.ts';
import {
  withAnotherRedis,
  withApiServerSource,
  withContainerSource,
} from '#shared/installation/default-settings.ts';
import { installationOf, type Product } from '#shared/installation/installation.ts';
import { partLabel, partOf } from '#shared/installation/names.ts';
import type { InstallationSettings } from '#shared/installation/settings.ts';
import { dashboardFile } from './dashboard.ts';
import { differences, joiningVariables, removalOf } from './differences.ts';
import { changedEntries, environmentPatches } from './patches.ts';

/** By path from the root of the repository. */
export type ManifestFiles = ReadonlyMap<string, readonly JsonObject[]>;

export function kustomizeFiles(product: Product, settings: InstallationSettings): ManifestFiles {
  const installation = installationOf(product, settings);
  const files = new Map<string, readonly JsonObject[]>();
  const folder = (
    path: string,
    contents: Readonly<Record<string, readonly JsonObject[]>>,
    rest: JsonObject = {},
    below: readonly string[] = [],
  ): void => {
    for (const [name, objects] of Object.entries(contents)) files.set(`${path}/${name}`, objects);
    const resources = [...below, ...Object.keys(contents)];
    files.set(`${path}/kustomization.yaml`, [kustomization({ resources, ...rest })]);
  };

  folder(
    'deploy/base',
    {
      'namespace.yaml': installation.namespace,
      'accounts.yaml': product.processes.flatMap((each) =>
        accessOf(each, settings).filter(({ kind }) => kind !== 'ClusterRole' && kind !== 'Role'),
      ),
      'workers.yaml': [...installation.bridge, ...installation.workers],
      'webhook-services.yaml': installation.webhookServices,
      'webhooks.yaml': installation.webhooks,
      'disruption-budgets.yaml': installation.disruptionBudgets,
      'network-policies.yaml': installation.networkPolicies,
      'redis.yaml': [...installation.redis, ...installation.redisNetworkPolicy],
    },
    {},
    ['../crds', '../policies', '../rbac'],
  );
  folder('knative', { 'services.yaml': installation.knativeServices }, {}, ['../deploy/base']);
  folder('deploy/overlays/plain', { 'deployments.yaml': installation.deployments }, {}, [
    '../../base',
  ]);
  folder('deploy/overlays/dev', {}, developing(product, installation), ['../plain']);
  const otherwise = (changed: Partial<InstallationSettings>) =>
    differences(installation, installationOf(product, { ...settings, ...changed }));
  const own = otherwise({ namespaced: true });
  const ofOwn = { 'access.yaml': own.added };
  folder('deploy/overlays/namespaced', ofOwn, { patches: own.patches }, ['../plain']);
  const forKueue = { 'kueue-manager.yaml': installation.kueueManager };
  folder('deploy/overlays/kueue', forKueue, {}, ['../plain']);
  folder('deploy/overlays/ha', {}, highlyAvailable(product), ['../plain']);
  component('cert-manager', installation.certificates, certManaged(installation));
  const another = installationOf(product, { ...settings, ...withAnotherRedis });
  component('external-redis', [], externalRedis(installation, another));
  component('monitoring', installation.monitoring, {});
  component('grafana', [], dashboardForGrafana());
  const patchesOf = (changed: Partial<InstallationSettings>): JsonObject[] => {
    const changedObjects = called(installationOf(product, { ...settings, ...changed }));
    return [
      ...changedEntries(called(installation), changedObjects),
      ...joiningVariables(called(installation), changedObjects),
    ];
  };
  component('knative-eventing', installation.eventing, {
    patches: patchesOf(withApiServerSource),
  });
  component(containerSource, [], bridgeRemoved(installation));
  component(`${containerSource}/source`, sourceWithoutPods(installation), {
    patches: patchesOf(withContainerSource),
    replacements: podsOfBridge(installation),
  });
  const traced = installationOf(product, { ...settings, otlpEndpoint });
  component('otel', [], { patches: joiningVariables(called(installation), called(traced)) });
  return files;

  function component(name: string, objects: readonly JsonObject[], rest: JsonObject): void {
    const path = `deploy/components/${name}`;
    const file = `${basename(name)}.yaml`;
    if (objects.length > 0) files.set(`${path}/${file}`, objects);
    const resources = objects.length === 0 ? {} : { resources: [file] };
    const content = { ...resources, ...rest };
    files.set(`${path}/kustomization.yaml`, [kustomization(content, 'Component')]);
  }
}

/** For a folder that is used as it is. A namespace is set on namespaced objects that name none. */
export function folderKustomization(names: readonly string[], namespace?: string): JsonObject {
  const resources = [...names];
  return kustomization(namespace === undefined ? { resources } : { namespace, resources });
}

function kustomization(content: JsonObject, kind = 'Kustomization'): JsonObject {
  const version = kind === 'Kustomization' ? 'v1beta1' : 'v1alpha1';
  return { apiVersion: `kustomize.config.k8s.io/${version}`, kind, ...content };
}

/** Labelled for the sidecar of Grafana's chart, in any namespace that it watches. */
function dashboardForGrafana(): JsonObject {
  return {
    configMapGenerator: [{ name: 'millrace-dashboard', files: [dashboardFile] }],
    generatorOptions: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } },
  };
}

/** Address of a collector that OpenTelemetry's operator creates as `otel` in the namespace `opentelemetry`. */
const otlpEndpoint = 'http://otel-collector.opentelemetry.svc:4318';

type Installed = ReturnType<typeof installationOf>;

/** One Pod of each process, with debug logs. */
function developing({ processes }: Product, installation: Installed): JsonObject {
  return {
    replicas: processes.map(({ name }) => ({ name, count: 1 })),
    patches: environmentPatches(called(installation), { MILLRACE_LOG_LEVEL: 'debug' }),
  };
}

/** At least two Pods of every part on different nodes, with the operator's own Redis. */
function highlyAvailable({ processes }: Product): JsonObject {
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: partOf },
    matchLabelKeys: ['app.kubernetes.io/component', 'pod-template-hash'],
  };
  const doubled = processes.filter(({ part }) => part === 'function');
  return {
    components: ['../../components/external-redis'],
    replicas: doubled.map(({ name }) => ({ name, count: 2 })),
    patches: [
      {
        target: { group: 'apps', kind: 'Deployment', labelSelector: partLabel },
        patch: JSON.stringify([
          { op: 'add', path: '/spec/template/spec/topologySpreadConstraints', value: [spread] },
        ]),
      },
    ],
  };
}

function certManaged(installation: Installed): JsonObject {
  const annotated = installation.webhooksOfCertManager.map(({ kind, metadata }) => {
    const { name, annotations } = metadata as { name: string; annotations: JsonObject };
    return {
      target: { kind, name },
      patch: JSON.stringify([{ op: 'add', path: '/metadata/annotations', value: annotations }]),
    };
  });
  const patches = environmentPatches(called(installation), { MILLRACE_CERT_MANAGER: 'true' });
  return { patches: [...annotated, ...patches] };
}

/** The operator creates the Secret `millrace-redis`. */
function externalRedis(installation: Installed, another: Installed): JsonObject {
  const gone = [...installation.redis, ...installation.redisNetworkPolicy].map(removalOf);
  return { patches: [...gone, ...changedEntries(called(installation), called(another))] };
}

const containerSource = 'knative-eventing-container-source';

/**
 * The source is a nested component, which is applied before the Deployment is removed. Within one component,
 * patches come before replacements.
 */
function bridgeRemoved(installation: Installed): JsonObject {
  return { components: ['source'], patches: installation.bridge.map(removalOf) };
}

/** Their Pods come from the Deployment, with the changes of earlier overlays and components. */
function sourceWithoutPods(installation: Installed): readonly JsonObject[] {
  const sources = installation.containerSources.map((object) => ({
    ...object,
    spec: omit(object['spec'] as JsonObject, 'template'),
  }));
  return [...installation.brokerOfBridge, ...sources];
}

function podsOfBridge(installation: Installed): readonly JsonObject[] {
  return installation.containerSources.map((object) => {
    const { kind, metadata } = object as unknown as NewObject;
    const { name } = metadata;
    const fieldPath = 'spec.template';
    const target = { select: { kind, name }, fieldPaths: [fieldPath], options: { create: true } };
    return { source: { kind: 'Deployment', name, fieldPath }, targets: [target] };
  });
}

/** The called processes in every variant. */
function called(installation: Installed): readonly JsonObject[] {
  const { bridge, workers, deployments, knativeServices } = installation;
  return [...bridge, ...workers, ...deployments, ...knativeServices];
}
