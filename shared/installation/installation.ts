/** All manifests of an installation, in optional groups. */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import { admissionPolicy } from '#shared/api/admission-policy.ts';
import { submitterPolicy } from '#shared/api/submitter-policy.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { accessOf } from './access.ts';
import type { Addresses } from './container.ts';
import { brokerOfBridge, containerSourcesOf } from './container-source.ts';
import { type DeclaredProcess, isSource } from './declared-process.ts';
import { deploymentOf, disruptionBudgetOf, webhookServiceOf } from './deployment.ts';
import { eventingOf } from './eventing.ts';
import { knativeServiceOf } from './knative-service.ts';
import { accessOfKueue } from './kueue-access.ts';
import { monitoring } from './monitoring.ts';
import { manifest, partOf } from './names.ts';
import { networkPolicies, redisNetworkPolicy } from './network-policies.ts';
import type { InstallationSettings } from './settings.ts';
import { trialRedis } from './trial-redis.ts';
import { userRoles } from './user-roles.ts';
import { certManagerObjects, webhooksOf } from './webhooks.ts';

/** The content of an installation, independent of how it is installed. */
export interface Product {
  readonly kinds: readonly KindDefinition[];
  readonly processes: readonly DeclaredProcess[];
  readonly urlVariableOf: (name: string) => string;
}

/** Each group is a list in the order in which it may be applied. */
export interface Installation {
  readonly namespace: readonly JsonObject[];
  readonly definitions: readonly JsonObject[];
  readonly policies: readonly JsonObject[];
  /** ServiceAccount, roles and bindings of each process. */
  readonly access: ReadonlyMap<string, readonly JsonObject[]>;
  readonly userRoles: readonly JsonObject[];
  /** Read access for the manager of an installed Kueue. */
  readonly kueueManager: readonly JsonObject[];
  /** The bridge, which publishes changes, as a Deployment. */
  readonly bridge: readonly JsonObject[];
  /** The same as sources of Knative Eventing. */
  readonly containerSources: readonly JsonObject[];
  /** Always Deployments: they work without being called. */
  readonly workers: readonly JsonObject[];
  /** Functions and admissions as Deployments. */
  readonly deployments: readonly JsonObject[];
  /** The same as Knative Services. */
  readonly knativeServices: readonly JsonObject[];
  /** The Services through which the API server calls admissions in either variant. */
  readonly webhookServices: readonly JsonObject[];
  readonly webhooks: readonly JsonObject[];
  readonly webhooksOfCertManager: readonly JsonObject[];
  readonly certificates: readonly JsonObject[];
  readonly disruptionBudgets: readonly JsonObject[];
  readonly networkPolicies: readonly JsonObject[];
  readonly redis: readonly JsonObject[];
  readonly redisNetworkPolicy: readonly JsonObject[];
  readonly monitoring: readonly JsonObject[];
  /** An ApiServerSource, and a broker that delivers its events. */
  readonly eventing: readonly JsonObject[];
  /** A broker that delivers the bridge's events. */
  readonly brokerOfBridge: readonly JsonObject[];
}

export function installationOf(product: Product, settings: InstallationSettings): Installation {
  const { kinds, processes } = product;
  const { namespace } = settings;
  const called = processes.filter(({ part }) => part === 'function' || part === 'admission');
  const waiting = processes.filter((process) => !called.includes(process));
  const admissions = processes.filter(({ part }) => part === 'admission');
  const addresses: Addresses = {
    urlVariableOf: product.urlVariableOf,
    functions: namesOf(processes.filter(({ part }) => part === 'function')),
    admissions: namesOf(admissions),
    redisUsers: namesOf(processes.filter(({ redis }) => redis !== undefined)),
  };
  const deployed = (of: readonly DeclaredProcess[]): readonly JsonObject[] =>
    of.flatMap((process) => deploymentOf(process, settings, addresses));
  const access = new Map<string, readonly JsonObject[]>();
  for (const each of processes) access.set(each.name, accessOf(each, settings));
  return {
    namespace: [namespaceObject(namespace)],
    definitions: kinds.map(customResourceDefinition),
    policies: [...kinds.flatMap(admissionPolicy), ...submitterPolicy()],
    access,
    userRoles: userRoles(kinds.map(({ resource }) => resource)),
    kueueManager: accessOfKueue(),
    bridge: deployed(waiting.filter(isSource)),
    containerSources: containerSourcesOf(waiting, settings, addresses),
    workers: deployed(waiting.filter((process) => !isSource(process))),
    deployments: deployed(called),
    knativeServices: called.map((each) => knativeServiceOf(each, settings, addresses)),
    webhookServices: admissions.map((each) => webhookServiceOf(each, settings)),
    webhooks: admissions.flatMap((each) => webhooksOf(each, settings)),
    webhooksOfCertManager: admissions.flatMap((each) => webhooksOf(each, settings, true)),
    certificates: certManagerObjects(admissions, namespace),
    disruptionBudgets: processes
      .filter(({ part }) => part !== 'keeper')
      .map((each) => disruptionBudgetOf(each, settings)),
    networkPolicies: networkPolicies(namespace),
    redis: trialRedis(processes, settings),
    redisNetworkPolicy: [redisNetworkPolicy(namespace)],
    monitoring: monitoring(processes, settings),
    eventing: eventingOf(processes, settings),
    brokerOfBridge: brokerOfBridge(processes, namespace),
  };
}

function namesOf(processes: readonly DeclaredProcess[]): readonly string[] {
  return processes.map(({ name }) => name);
}

/** Restricted Pod Security applies to everything in it. */
function namespaceObject(name: string): JsonObject {
  const modes = ['enforce', 'audit', 'warn'];
  const security = modes.map(
    (mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted'] as const,
  );
  return manifest('v1', 'Namespace', {
    name,
    labels: { ...partOf, ...Object.fromEntries(security) },
  });
}

/** Functions and admissions run as Deployments (plain) or as Knative Services. */
export type Variant = 'plain' | 'knative';

/** They can be applied in this order. Objects that name something not served yet recover in time. */
export function manifestsOf(installation: Installation, variant: Variant): readonly JsonObject[] {
  return [
    ...installation.namespace,
    ...installation.definitions,
    ...installation.policies,
    ...[...installation.access.values()].flat(),
    ...installation.userRoles,
    ...installation.networkPolicies,
    ...installation.redis,
    ...installation.redisNetworkPolicy,
    ...installation.bridge,
    ...installation.workers,
    ...(variant === 'plain' ? installation.deployments : installation.knativeServices),
    ...installation.disruptionBudgets,
    ...installation.webhookServices,
    ...installation.webhooks,
  ];
}
