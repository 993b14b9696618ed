/** A foreign webhook in one namespace, which denies what a test wants it to deny. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, vi } from 'vitest';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { kubectlOrThrow } from './control-plane/kubectl.ts';
import type { ClusterHandle } from './require.ts';

/** A metav1.Status, as webhooks answer it. */
export interface Denial {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
}

/** Undefined: it is allowed. */
export type Denies = (review: ReviewedRequest) => Denial | undefined;

export interface ReviewedRequest {
  readonly name: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: { readonly resource: string };
  readonly subResource?: string;
  readonly userInfo: { readonly username: string };
}

interface Review {
  readonly request: ReviewedRequest & { readonly uid: string };
}

/** Its Job is always denied. */
const probe = 'probe-of-webhook';

const reviewed = [
  { apiGroups: ['batch'], resources: ['jobs'] },
  {
    apiGroups: ['api.practice.com', 'millrace.dev'],
    resources: [
      ...['jobflows', 'jobflows/status', 'daemonjobs', 'daemonjobs/status'],
      ...['suspendpolicies', 'suspendpolicies/status'],
    ],
  },
  { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads', 'workloads/status'] },
];

export async function startDenyingWebhook(
  { kubectl }: Pick<ClusterHandle, 'kubectl'>,
  namespace: string,
  denies: Denies,
): Promise<AsyncDisposable> {
  const pair = createOwnCertificate(Date.now());
  const server = createServer(pair, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { request: asked } = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      const status = asked.name === probe ? { code: 403 } : denies(asked);
      const verdict = status === undefined ? { allowed: true } : { allowed: false, status };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: asked.uid, ...verdict },
        }),
      );
    });
  });
  // Longer than the API server keeps an idle connection, so that no review meets one that is being closed.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const name = `denying-${namespace}`;
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'denying.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(pair.cert).toString('base64'),
        },
        rules: reviewed.map((each) => ({
          ...each,
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
        })),
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
      },
    ],
  };
  await kubectlOrThrow(kubectl, ['create', '-f', '-'], { input: JSON.stringify(configuration) });
  // The API server learns of it a moment later.
  const ask = ['-n', namespace, 'create', 'job', probe, '--image=a', '--dry-run=server'];
  await vi.waitFor(async () => expect((await kubectl(ask)).code).not.toBe(0), { timeout: 30_000 });
  return {
    [Symbol.asyncDispose]: async () => {
      await kubectl(['delete', 'validatingwebhookconfiguration', name]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
