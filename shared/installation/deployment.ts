import type { JsonObject } from '#shared/domain/objects.ts';
import { type Addresses, containerOf, containerPort, portName, volumesOf } from './container.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { labelsOf, manifest, selectorOf, webhookService } from './names.ts';
import type { InstallationSettings } from './settings.ts';

/** More than the 25 s for running work, with some margin. */
const terminationGracePeriodSeconds = 45;

/** The process as a Deployment, with its Service. */
export function deploymentOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
  addresses: Addresses,
): readonly JsonObject[] {
  const { name, part } = process;
  const { namespace } = settings;
  const labels = labelsOf(process);
  const deployment = manifest(
    'apps/v1',
    'Deployment',
    { name, namespace, labels },
    {
      spec: {
        replicas: settings.scaleOf(name).replicas,
        selector: { matchLabels: selectorOf(name) },
        ...(part === 'keeper' ? { strategy: { type: 'Recreate' } } : {}),
        template: podTemplateOf(process, settings, addresses),
      },
    },
  );
  return part === 'function' ? [deployment, serviceOf(process, settings, 80)] : [deployment];
}

/** The Pod template, for any kind of workload. */
export function podTemplateOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
  addresses: Addresses,
): JsonObject {
  const volumes = volumesOf(process, settings);
  return {
    metadata: { labels: labelsOf(process) },
    spec: {
      serviceAccountName: process.name,
      // Their variables would count as unknown settings.
      enableServiceLinks: false,
      terminationGracePeriodSeconds,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ...settings.podFields,
      containers: [
        { ...containerOf(process, settings, addresses, 'deployment'), ...leaving(process) },
      ],
      ...(volumes.length === 0 ? {} : { volumes: [...volumes] }),
    },
  };
}

/** Servers keep serving during preStop, until the endpoints are updated. */
function leaving({ part }: DeclaredProcess): JsonObject {
  return part === 'function' || part === 'admission'
    ? { lifecycle: { preStop: { sleep: { seconds: 5 } } } }
    : {};
}

/**
 * The Service for the API server's calls to an admission. It bypasses Knative's queue proxy and leads to
 * the Pods, because TLS must end in the container.
 */
export function webhookServiceOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
): JsonObject {
  return serviceOf({ ...process, name: webhookService(process.name) }, settings, 443, process.name);
}

function serviceOf(
  process: DeclaredProcess,
  { namespace }: InstallationSettings,
  port: number,
  selected = process.name,
): JsonObject {
  const labels = labelsOf({ ...process, name: selected });
  return manifest(
    'v1',
    'Service',
    { name: process.name, namespace, labels },
    {
      spec: {
        selector: selectorOf(selected),
        // By number, because the Pods of a Knative Service name their ports differently.
        ports: [{ name: portName(process), port, targetPort: containerPort }],
      },
    },
  );
}

/** A drain evicts one Pod at a time. */
export function disruptionBudgetOf(
  { name, part }: DeclaredProcess,
  { namespace }: InstallationSettings,
): JsonObject {
  return manifest(
    'policy/v1',
    'PodDisruptionBudget',
    { name, namespace, labels: labelsOf({ name, part }) },
    { spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(name) } } },
  );
}
