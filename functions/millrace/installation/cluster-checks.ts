/** Requirements of an installation to the cluster, and checks of an existing installation. */
import { processes } from '#functions/processes.ts';
import { hasCode } from '#shared/domain/errors.ts';
import type { JsonObject, KubeObject, ObjectName, Resource } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { counted } from '#shared/domain/wording.ts';
import { redisKeys, secrets } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { selfReview } from '../require-rights.ts';
import type { Chosen } from './chosen.ts';
import {
  certificates,
  deployments,
  type Installed,
  knativeService,
  nameOf,
  resourceOf,
} from './installed-resources.ts';

export interface Check {
  readonly about: string;
  readonly isGood: boolean;
  readonly detail: string;
  /** For a failed check: the command that corrects it. */
  readonly next?: string;
  /** The object does not exist. */
  readonly isAbsent?: boolean;
}

type Reader = Pick<KubeClient, 'get' | 'list' | 'review'>;

/** Checked before an installation: nothing is written if one of them fails. */
export async function requirements(client: Reader, options: Chosen): Promise<readonly Check[]> {
  const { knative, certManager, externalRedis, namespace } = options;
  const checks = [mayInstall(client), noOtherController(client)];
  if (knative === true)
    checks.push(isServed(client, knativeService, 'Knative Serving 1.15 or newer'));
  if (certManager === true) checks.push(isServed(client, certificates, 'cert-manager'));
  if (externalRedis === true) checks.push(redisIsNamed(client, namespace));
  return Promise.all(checks);
}

/** The installing user needs every right that it grants: RBAC refuses to grant more. */
async function mayInstall(client: Reader): Promise<Check> {
  const spec = { resourceAttributes: { group: '*', resource: '*', verb: '*' } };
  const { allowed } = await client.review(selfReview, spec);
  return {
    about: 'rights of the user',
    isGood: allowed === true,
    detail:
      allowed === true
        ? 'everything may be installed'
        : 'the installation needs cluster-admin: it defines kinds and grants rights',
  };
}

/** Two controllers would both create and delete the resources of each AppWrapper. */
export async function noOtherController(client: Pick<Reader, 'get'>): Promise<Check> {
  const namespace = 'appwrapper-system';
  const name = 'appwrapper-controller-manager';
  const isThere = await exists(client, deployments, { namespace, name });
  return {
    about: 'controllers of AppWrappers',
    isGood: !isThere,
    detail: isThere
      ? `the original controller runs (Deployment ${namespace}/${name}), and Millrace runs the same AppWrappers`
      : 'there is no other one',
    ...(isThere ? { next: `kubectl delete deployment -n ${namespace} ${name}` } : {}),
  };
}

async function exists(
  client: Pick<Reader, 'get'>,
  resource: Resource,
  name: ObjectName,
): Promise<boolean> {
  return (await readable(client, resource, name)) !== undefined;
}

/** Undefined also without the right to read it, which other checks report. */
export async function readable(
  client: Pick<Reader, 'get'>,
  resource: Resource,
  name: ObjectName,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, name);
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}

async function isServed(client: Reader, resource: Resource, what: string): Promise<Check> {
  const isThere = await lists(client, resource);
  return {
    about: what,
    isGood: isThere,
    detail: isThere
      ? 'is there'
      : `${resource.plural}.${resource.group} is not served; install it first`,
  };
}

async function lists(client: Reader, resource: Resource): Promise<boolean> {
  try {
    await client.list(resource, { limit: 1 });
    return true;
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return false;
    throw error;
  }
}

async function redisIsNamed(client: Reader, namespace: string): Promise<Check> {
  const name = secrets.redis;
  const found = await client.get(resources.Secret, { namespace, name });
  const { data = {} } = (found ?? {}) as { readonly data?: JsonObject };
  const isGood = data[redisKeys.url] !== undefined;
  const command = `kubectl create secret generic ${name} -n ${namespace} --from-literal=url=rediss://...`;
  return {
    about: 'Redis',
    isGood,
    detail: isGood ? usersOf(data) : `its Secret ${name} with the key ${redisKeys.url} is missing`,
    ...(isGood ? {} : { next: command }),
  };
}

function usersOf(secret: JsonObject): string {
  const without = processes
    .filter(
      ({ name, redis }) => redis !== undefined && !Object.hasOwn(secret, redisKeys.urlOf(name)),
    )
    .map(({ name }) => name);
  if (without.length === 0) return 'has its Secret, with a user for each process';
  return `has its Secret; without a user of their own: ${without.join(', ')}`;
}

/** Checks that each manifest is installed, and that everything is ready. */
export async function stateOf(
  client: Reader,
  manifests: readonly Installed[],
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const manifest of manifests) {
    const resource = resourceOf(manifest);
    const { namespace = '', name } = manifest.metadata;
    const found = await client.get(resource, { namespace, name });
    checks.push({ about: nameOf(manifest), ...judged(found) });
  }
  return checks;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** For each kind, the condition that says that it works. */
const working: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'Established',
  Deployment: 'Available',
  Service: 'Ready',
  Certificate: 'Ready',
};

function judged(found: KubeObject | undefined): Omit<Check, 'about'> {
  if (found === undefined)
    return { isGood: false, detail: 'is not there', next: 'millrace upgrade', isAbsent: true };
  if (found.kind.endsWith('WebhookConfiguration')) return trusting(found);
  const status = found.status as { readonly conditions?: readonly Condition[] } | undefined;
  const wanted = found.apiVersion === 'v1' ? undefined : ownMember(working, found.kind);
  if (wanted === undefined) return { isGood: true, detail: 'is there' };
  const unfinished = rolloutOf(found as Rollout);
  if (unfinished !== undefined) return { isGood: false, detail: unfinished };
  const condition = status?.conditions?.find(({ type }) => type === wanted);
  const isGood = condition?.status === 'True';
  const why = condition?.message ?? `no controller reports that it is ${wanted}`;
  return { isGood, detail: isGood ? `is ${wanted}` : why };
}

interface Rollout extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
  };
}

/**
 * Says what is still missing after a change, as `kubectl rollout status` judges it. A Deployment stays Available
 * meanwhile, by its earlier Pods. Undefined: nothing.
 */
function rolloutOf({ kind, metadata, spec, status }: Rollout): string | undefined {
  const { observedGeneration, replicas = 0, updatedReplicas = 0 } = status ?? {};
  if (observedGeneration !== undefined && observedGeneration < (metadata.generation ?? 0))
    return 'its change has not been seen yet';
  if (kind !== 'Deployment') return undefined;
  const wanted = spec?.replicas ?? 1;
  if (updatedReplicas < wanted) return `${updatedReplicas} of ${wanted} Pods are of this version`;
  const old = replicas - updatedReplicas;
  if (old <= 0) return undefined;
  return `${counted(old, 'old Pod')} ${old === 1 ? 'is' : 'are'} still being removed`;
}

interface Webhook {
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly service?: { readonly path?: string };
  };
}

interface Webhooks extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

function trusting({ webhooks = [] }: Webhooks): Omit<Check, 'about'> {
  const isTrusting = webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined);
  const hasPath = webhooks.every(({ clientConfig: { service } }) => service?.path !== undefined);
  const missing = [...(isTrusting ? [] : ['caBundle']), ...(hasPath ? [] : ['path of reviews'])];
  const isGood = missing.length === 0;
  return {
    isGood,
    detail: isGood
      ? 'knows whom to trust and what to ask'
      : `has no ${missing.join(' and no ')}; look at the log of credentials`,
  };
}
