/**
 * Webhooks that exist as long as a process of this machine.
 *
 * registration-1 They never block a cluster: for foreign kinds the failure policy is Ignore, because no webhook answers
 *    after a crash. For Millrace's own kinds they fail closed: an object without a review is not stored.
 * registration-2 Each one names its machine and process. A start removes webhooks of dead processes of this machine,
 *    and no others.
 */
import { createHash } from 'node:crypto';
import type { Admission } from '#shared/admission/admission.ts';
import {
  webhookConfigurations,
  type WebhookConfiguration,
} from '#shared/admission/webhook-configuration.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { prefix } from '#shared/domain/labels.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';

export interface Owner {
  readonly host: string;
  readonly pid: number;
}

export interface RegistrationOptions {
  readonly client: KubeClient;
  readonly admissions: readonly Admission[];
  /** Base URL of the admissions. */
  readonly url: string;
  /** The certificate that the API server has to trust, PEM. */
  readonly authority: string;
  readonly owner: Owner;
  /** Whether a process of this machine is alive. */
  readonly isAlive: (pid: number) => boolean;
  /** Absent: all namespaces. */
  readonly namespace?: string;
}

const managedBy = { 'app.kubernetes.io/managed-by': 'millrace' };
const ownerAnnotation = `${prefix}webhook-owner`;
const kinds: readonly Resource[] = [
  resources.MutatingWebhookConfiguration,
  resources.ValidatingWebhookConfiguration,
];

export async function register(options: RegistrationOptions): Promise<void> {
  const { client, admissions, url, authority, owner, namespace } = options;
  await removeRemains(options);
  const caBundle = Buffer.from(authority).toString('base64');
  const configurations = webhookConfigurations(admissions, {
    metadata: {
      name: nameFor(owner),
      labels: { 'app.kubernetes.io/part-of': 'millrace', ...managedBy },
      annotations: { [ownerAnnotation]: textOf(owner) },
    },
    clientConfigOf: ({ name }) => ({ url: `${url}/${name}`, caBundle }),
    mayVanish: true,
    ...(namespace === undefined ? {} : { namespace }),
  });
  for (const configuration of configurations) {
    await client.create(resourceOf(configuration), configuration);
  }
}

/** Removes what this process has registered, as far as it still exists. */
export async function unregister({ client, owner }: RegistrationOptions): Promise<void> {
  await removeWhere(client, (object) => ownerOf(object) === textOf(owner));
}

/** Removes webhooks of dead processes of this machine, which could not remove them themselves (registration-2). */
async function removeRemains({ client, owner, isAlive }: RegistrationOptions): Promise<void> {
  const isLeft = (object: KubeObject): boolean => {
    const [, host, pid] = /^(.*)\/(\d+)$/.exec(ownerOf(object)) ?? [];
    if (host !== owner.host) return false;
    return Number(pid) === owner.pid || !isAlive(Number(pid));
  };
  await removeWhere(client, isLeft);
}

async function removeWhere(
  client: KubeClient,
  isMeant: (object: KubeObject) => boolean,
): Promise<void> {
  const labelSelector = Object.entries(managedBy)
    .map(([name, value]) => `${name}=${value}`)
    .join();
  for (const resource of kinds) {
    const { items } = await client.list(resource, { labelSelector });
    for (const { metadata } of items.filter(isMeant)) {
      try {
        const name = { namespace: '', name: metadata.name };
        await client.delete(resource, name, { uid: metadata.uid });
      } catch (error) {
        // Another process deleted it, and may have created a new one of this name.
        if (!hasCode(error, 'MR_API_NOT_FOUND') && !hasCode(error, 'MR_API_CONFLICT')) throw error;
      }
    }
  }
}

function ownerOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[ownerAnnotation] ?? '';
}

function textOf({ host, pid }: Owner): string {
  return `${host}/${pid}`;
}

/** A host name may not be a valid object name, so it is hashed. */
function nameFor({ host, pid }: Owner): string {
  const hash = createHash('sha256').update(host).digest('hex').slice(0, 8);
  return `millrace-${hash}-${pid}`;
}

function resourceOf({ kind }: WebhookConfiguration): Resource {
  const resource = kinds.find((each) => each.kind === kind);
  if (resource === undefined) throw new Error(`${kind} registers no webhooks`);
  return resource;
}
