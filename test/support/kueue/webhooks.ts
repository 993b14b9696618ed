/** Kueue's webhooks at an address of this machine instead of a Service. */
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

/** Webhooks for the tests' kinds only; the others would never matter. */
const wanted = /^[mv](workload|clusterqueue|resourceflavor|cohort|job|pod)\.kb\.io$/;
/** Kustomize adds the selector to these. Otherwise Kueue would be asked about its own Pods. */
const ofWork = /^[mv](job|pod)\.kb\.io$/;

export interface WebhookAddress {
  readonly port: number;
  /** The manager's serving certificate, PEM. */
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
