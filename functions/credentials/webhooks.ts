/**
 * Writes what the API server needs to call a process of Millrace: the trusted certificates, and the secret path by
 * which the process recognizes the API server. An installation applies neither.
 */
import { admissionNameOf } from '#shared/admission/webhook-configuration.ts';
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { webhookConfigurationName } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { bundleOf } from './certificate-bundle.ts';

/** `absent`: the process has no webhook configuration yet. `updated`: one of them was changed. */
export type WebhookTrust = 'absent' | 'updated' | 'known';

export interface WebhookUpdate {
  readonly client: Pick<KubeClient, 'get' | 'patch'>;
  /** The process that the API server calls. */
  readonly process: string;
  readonly nowMs: number;
  /** The first segment of each admission's path. */
  readonly token: string;
}

/** Updates both configurations of the process, as far as they exist. Without `certificates` the trusted ones stay. */
export async function updateWebhooks(
  update: WebhookUpdate,
  certificates: readonly string[],
): Promise<WebhookTrust> {
  const { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } = resources;
  const mutating = await updateIn(MutatingWebhookConfiguration, update, certificates);
  const validating = await updateIn(ValidatingWebhookConfiguration, update, certificates);
  const both = [mutating, validating];
  if (both.includes('updated')) return 'updated';
  return both.includes('known') ? 'known' : 'absent';
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly service?: { readonly path?: string };
  };
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

async function updateIn(
  resource: Resource,
  update: WebhookUpdate,
  certificates: readonly string[],
): Promise<WebhookTrust> {
  const { client, process } = update;
  const where = { namespace: '', name: webhookConfigurationName(process) };
  const found: WebhookConfiguration | undefined = await client.get(resource, where);
  if (found === undefined) return 'absent';
  const changes = (found.webhooks ?? []).flatMap((webhook, index) =>
    changesOf(webhook, `/webhooks/${index}/clientConfig`, update, certificates),
  );
  if (changes.length === 0) return 'known';
  // The indexes are valid only for the list that was read.
  const version: JsonObject = {
    op: 'test',
    path: '/metadata/resourceVersion',
    value: found.metadata.resourceVersion,
  };
  await client.patch(resource, where, [version, ...changes], { type: 'json' });
  return 'updated';
}

function changesOf(
  { name, clientConfig: { caBundle, service } }: Webhook,
  at: string,
  { token, nowMs }: WebhookUpdate,
  certificates: readonly string[],
): readonly JsonObject[] {
  const bundle = certificates.length === 0 ? caBundle : bundleOf(caBundle, certificates, nowMs);
  const path = `/${token}/${admissionNameOf(name)}`;
  return [
    ...(bundle === undefined || bundle === caBundle
      ? []
      : [{ op: 'add', path: `${at}/caBundle`, value: bundle }]),
    // A user may have registered the webhook by a URL instead.
    ...(service === undefined || service.path === path
      ? []
      : [{ op: 'add', path: `${at}/service/path`, value: path }]),
  ];
}
