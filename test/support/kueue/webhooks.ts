/** The webhooks of Kueue, called at an address of this machine instead of a Service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kueueNamespace } from './configuration.ts';

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
}

interface WebhookConfiguration {
  readonly metadata: object;
  readonly webhooks: readonly Webhook[];
}

/** Of the kinds that the tests have; those of others would only be called for nothing. */
const wanted = /^[mv](workload|clusterqueue|resourceflavor|cohort|job|pod)\.kb\.io$/;
/** Kustomize adds the selector to these: Kueue would otherwise be asked about its own Pods. */
const ofWork = /^[mv](job|pod)\.kb\.io$/;

export interface WebhookAddress {
  readonly port: number;
  /** PEM of the certificate that the manager serves with. */
  readonly authority: string;
}

/** `sources` is the folder of Kueue's module. */
export async function kueueWebhooks(
  sources: string,
  { port, authority }: WebhookAddress,
): Promise<readonly object[]> {
  const file = join(sources, 'config/components/webhook/manifests.yaml');
  const documents = parseAllDocuments(await readFile(file, 'utf8'));
  const caBundle = Buffer.from(authority).toString('base64');
  return documents.map((document) => {
    const configuration = document.toJS() as WebhookConfiguration;
    const webhooks = configuration.webhooks
      .filter(({ name }) => wanted.test(name))
      .map((webhook) => ({
        ...webhook,
        clientConfig: {
          url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}`,
          caBundle,
        },
        ...(ofWork.test(webhook.name) ? { namespaceSelector } : {}),
      }));
    return { ...configuration, metadata: { name: `kueue-${kindOf(configuration)}` }, webhooks };
  });
}

const namespaceSelector = {
  matchExpressions: [
    {
      key: 'kubernetes.io/metadata.name',
      operator: 'NotIn',
      values: ['kube-system', kueueNamespace],
    },
  ],
};

function kindOf({ webhooks }: WebhookConfiguration): string {
  return webhooks.some(({ name }) => name.startsWith('m')) ? 'mutating' : 'validating';
}
