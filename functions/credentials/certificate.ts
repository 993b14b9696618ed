/**
 * The certificate by which the API server knows a process of ours; it is its own authority.
 *
 * CR1 A certificate is trusted before anybody serves it: the webhook configurations are told of it first,
 *     the Secret holds it afterwards. A crash between the two leaves a certificate trusted that nobody has.
 * CR2 What was trusted stays so until it ends: Pods serve the old one until their kubelet shows them the
 *     new one, and nobody says when that was.
 * CR3 A webhook configuration that comes after the certificate is told of it within seconds: an
 *     installation applies it last, and until then the API server refuses what it would ask about.
 */
import { X509Certificate } from 'node:crypto';
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import { createOwnCertificate, type OwnCertificate } from '#shared/domain/own-certificate.ts';
import { resources } from '#shared/domain/resources.ts';
import {
  certificateSecret,
  webhookConfigurationName,
  webhookService,
} from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { createSecret, readSecret, writeSecret } from './secret.ts';

export interface CertificateKeeping {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  /** The process that the API server calls. */
  readonly process: string;
  readonly nowMs: number;
}

const dayMs = 86_400_000;

/** A third of the year that one is valid for. */
const renewBeforeMs = 120 * dayMs;

/** What one round did for a process. */
export interface KeptCertificate {
  /** There was none that is good for long. */
  readonly isRenewed: boolean;
  /** `absent`: the process has no webhook configuration yet; `told`: one did not know the certificate. */
  readonly trust: Trust;
}

type Trust = 'absent' | 'told' | 'known';

export async function keepCertificate(keeping: CertificateKeeping): Promise<KeptCertificate> {
  const { client, namespace, process, nowMs } = keeping;
  const where = { namespace, name: certificateSecret(process) };
  const content = await readSecret(client, where);
  const current = content?.['tls.crt'];
  if (current !== undefined && isGood(current, nowMs)) {
    return { isRenewed: false, trust: await trust(keeping, [current]) };
  }
  const next = createOwnCertificate(nowMs, [`${webhookService(process)}.${namespace}.svc`]);
  const trusted = await trust(keeping, [...(current === undefined ? [] : [current]), next.cert]);
  if (content === undefined)
    await createSecret(client, where, contentOf(next), 'kubernetes.io/tls');
  else await writeSecret(client, where, contentOf(next));
  return { isRenewed: true, trust: trusted };
}

function contentOf({ cert, key }: OwnCertificate) {
  return { 'tls.crt': cert, 'tls.key': key };
}

export function isGood(pem: string, nowMs: number): boolean {
  const end = endOf(pem);
  return end !== undefined && end - nowMs > renewBeforeMs;
}

/** Undefined: this is no certificate. */
function endOf(pem: string): number | undefined {
  try {
    return new X509Certificate(pem).validToDate.getTime();
  } catch {
    return undefined;
  }
}

/** In both configurations of the process: not every process has each of them. */
async function trust(keeping: CertificateKeeping, certificates: readonly string[]): Promise<Trust> {
  const { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } = resources;
  const mutating = await trustIn(MutatingWebhookConfiguration, keeping, certificates);
  const validating = await trustIn(ValidatingWebhookConfiguration, keeping, certificates);
  const both = [mutating, validating];
  if (both.includes('told')) return 'told';
  return both.includes('known') ? 'known' : 'absent';
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

async function trustIn(
  resource: Resource,
  { client, process, nowMs }: CertificateKeeping,
  certificates: readonly string[],
): Promise<Trust> {
  const where = { namespace: '', name: webhookConfigurationName(process) };
  const found = (await client.get(resource, where)) as WebhookConfiguration | undefined;
  if (found === undefined) return 'absent';
  const changes = (found.webhooks ?? []).flatMap(({ clientConfig: { caBundle } }, index) => {
    const wanted = bundleOf(caBundle, certificates, nowMs);
    if (wanted === caBundle) return [];
    return [{ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted }];
  });
  if (changes.length === 0) return 'known';
  // Another list of webhooks has other indexes.
  const version: JsonObject = {
    op: 'test',
    path: '/metadata/resourceVersion',
    value: found.metadata.resourceVersion,
  };
  await client.patch(resource, where, [version, ...changes], { type: 'json' });
  return 'told';
}

const onePem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** In base64, as the API server wants it. */
function bundleOf(
  caBundle: string | undefined,
  certificates: readonly string[],
  nowMs: number,
): string {
  const before = Buffer.from(caBundle ?? '', 'base64').toString();
  return Buffer.from(joined([before, ...certificates], nowMs)).toString('base64');
}

/** What was trusted and has not ended, then what is new (CR2). */
export function joined(certificates: readonly string[], nowMs: number): string {
  const all = certificates.flatMap((text) => text.match(onePem) ?? []);
  const valid = [...new Set(all)].filter((pem) => (endOf(pem) ?? 0) > nowMs);
  return valid.map((pem) => `${pem}\n`).join('');
}
