/**
 * The certificate by which the API server recognizes a process of Millrace. It is self-signed.
 *
 * certificate-1 A certificate is trusted before a process serves it: the webhook configurations get it first, then the
 *    Secret. A crash between the two leaves a trusted certificate that no process has.
 * certificate-2 A certificate stays trusted until it expires: Pods serve the old one until their kubelet shows them the
 *    new one, at an unknown time.
 * certificate-3 A webhook configuration that is created after the certificate gets it within seconds. An installation
 *    applies it last, and until then the API server refuses the reviewed requests.
 */
import { createOwnCertificate, type OwnCertificate } from '#shared/domain/own-certificate.ts';
import { certificateSecret, webhookService } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { endOf } from './certificate-bundle.ts';
import { createSecret, readSecret, writeSecret } from './secret.ts';
import { updateWebhooks, type WebhookTrust, type WebhookUpdate } from './webhooks.ts';

export interface CertificateKeeping extends WebhookUpdate {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
}

const dayMs = 86_400_000;

/** A third of the year for which a certificate is valid. */
const renewBeforeMs = 120 * dayMs;

/** The result of one round for a process. */
export interface KeptCertificate {
  /** A new certificate was made, since none was valid for long enough. */
  readonly isRenewed: boolean;
  readonly trust: WebhookTrust;
}

export async function keepCertificate(keeping: CertificateKeeping): Promise<KeptCertificate> {
  const { client, namespace, process, nowMs } = keeping;
  const where = { namespace, name: certificateSecret(process) };
  const content = await readSecret(client, where);
  const current = content?.['tls.crt'];
  if (current !== undefined && isGood(current, nowMs)) {
    return { isRenewed: false, trust: await updateWebhooks(keeping, [current]) };
  }
  const next = createOwnCertificate(nowMs, [`${webhookService(process)}.${namespace}.svc`]);
  const trusted = await updateWebhooks(keeping, [
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
