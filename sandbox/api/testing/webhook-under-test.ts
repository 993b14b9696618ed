/** An HTTPS webhook on a free loopback port; its certificate is for 127.0.0.1 and good for a century. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '#shared/domain/objects.ts';

/** The key protects nothing: it is public with this file. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgt/PJJbu3eSebUBNI
D9/+MKtGFkfCNBrxbetFSBMiqFqhRANCAAQvIrnWD9G3DIOGhzuy/wFmvVCBDIg2
VXF2SkUxih3siV7emQXxGBjErET2vJ+ljTbby8ftW5LZwv2o2Q1oCeaF
-----END PRIVATE KEY-----`;

const cert = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUigAwIBAgIUJpfH0MXdDd3+CXpWn9wLoVWG7M8wCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSd2ViaG9vay11bmRlci10ZXN0MCAXDTI2MTEyMTE2MjIyMloY
DzIxMjYxMDI4MTYyMjIyWjAdMRswGQYDVQQDDBJ3ZWJob29rLXVuZGVyLXRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQvIrnWD9G3DIOGhzuy/wFmvVCBDIg2
VXF2SkUxih3siV7emQXxGBjErET2vJ+ljTbby8ftW5LZwv2o2Q1oCeaFo2QwYjAd
BgNVHQ4EFgQUohmmskNu0B022JKj81m4Y5xvvWYwHwYDVR0jBBgwFoAUohmmskNu
0B022JKj81m4Y5xvvWYwDwYDVR0RBAgwBocEfwAAATAPBgNVHRMBAf8EBTADAQH/
MAoGCCqGSM49BAMCA0cAMEQCIGhxppOT2DplXReRw5NHn8H1ecMNQhj1d2bUraK6
YcbtAiBVmXWl7gQJzGRQNn7op4W9wbu37zJATkUCj1cRTfkelw==
-----END CERTIFICATE-----`;

export interface WebhookUnderTest {
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  /** The requests of the reviews so far. */
  readonly requests: readonly JsonObject[];
  readonly stop: () => Promise<void>;
}

/** `respond` makes the response to a review. The uid is added to it. */
export async function startWebhook(
  respond: (request: JsonObject) => JsonObject,
): Promise<WebhookUnderTest> {
  const requests: JsonObject[] = [];
  const server = createServer({ key, cert }, (message, answer) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: JsonObject };
      requests.push(review.request);
      const response = { uid: review.request['uid'], ...respond(review.request) };
      const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
      answer.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/review`,
      caBundle: Buffer.from(cert).toString('base64'),
    },
    requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
