/** All manifests of an installation, in groups that one takes or leaves. */
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

/** What there is to be installed, by any of the ways to install it. */
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
  /** Of each process: ServiceAccount, roles, bindings. */
  readonly access: ReadonlyMap<string, readonly JsonObject[]>;
  readonly userRoles: readonly JsonObject[];
  /** What the manager of a Kueue beside Millrace may read. */
  readonly kueueManager: readonly JsonObject[];
  /** What tells the others of changes, as a Deployment. */
  readonly bridge: readonly JsonObject[];
  /** The same as sources of Knative Eventing. */
  readonly containerSources: readonly JsonObject[];
  /** Always Deployments: they work without being called. */
  readonly workers: readonly JsonObject[];
  /** Functions and admissions as Deployments. */
  readonly deployments: readonly JsonObject[];
  /** The same as Knative Services. */
  readonly knativeServices: readonly JsonObject[];
  /** The Services by which the API server calls admissions, however they run. */
  readonly webhookServices: readonly JsonObject[];
  readonly webhooks: readonly JsonObject[];
  readonly webhooksOfCertManager: readonly JsonObject[];
  readonly certificates: readonly JsonObject[];
  readonly disruptionBudgets: readonly JsonObject[];
  readonly networkPolicies: readonly JsonObject[];
  readonly redis: readonly JsonObject[];
  readonly redisNetworkPolicy: readonly JsonObject[];
  readonly monitoring: readonly JsonObject[];
  /** An ApiServerSource, and a broker that delivers of what it tells. */
  readonly eventing: readonly JsonObject[];
  /** A broker that delivers of what the bridge tells. */
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

/** Nothing in it may do what restricted Pod Security refuses. */
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

/** How functions and admissions run. */
export type Variant = 'plain' | 'knative';

/** One after another they can be applied; that nothing is served yet that they name is made good in time. */
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
