/**
 * The certificate by which the API server knows a process of ours; it is its own authority.
 *
 * CR1 A certificate is trusted before anybody serves it: the webhook configurations get it first,
 *     the Secret holds it afterwards. A crash between the two leaves a certificate trusted that nobody has.
 * CR2 What was trusted stays so until it ends: Pods serve the old one until their kubelet shows them the
 *     new one, and nobody says when that was.
 * CR3 A webhook configuration that comes after the certificate gets it within seconds: an
 *     installation applies it last, and until then the API server refuses what it would ask about.
 */
import { createOwnCertificate, type OwnCertificate } from '#shared/domain/own-certificate.ts';
import { certificateSecret, webhookService } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { endOf } from './certificate-bundle.ts';
import { createSecret, readSecret, writeSecret } from './secret.ts';
import { tellWebhooks, type Telling, type Told } from './webhooks.ts';

export interface CertificateKeeping extends Telling {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
}

const dayMs = 86_400_000;

/** A third of the year that one is valid for. */
const renewBeforeMs = 120 * dayMs;

/** What one round did for a process. */
export interface KeptCertificate {
  /** There was none that is good for long. */
  readonly isRenewed: boolean;
  readonly trust: Told;
}

export async function keepCertificate(keeping: CertificateKeeping): Promise<KeptCertificate> {
  const { client, namespace, process, nowMs } = keeping;
  const where = { namespace, name: certificateSecret(process) };
  const content = await readSecret(client, where);
  const current = content?.['tls.crt'];
  if (current !== undefined && isGood(current, nowMs)) {
    return { isRenewed: false, trust: await tellWebhooks(keeping, [current]) };
  }
  const next = createOwnCertificate(nowMs, [`${webhookService(process)}.${namespace}.svc`]);
  const trusted = await tellWebhooks(keeping, [
    ...(current === undefined ? [] : [current]),
    next.cert,
  ]);
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
