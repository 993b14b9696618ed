/** Sends one AdmissionReview over HTTPS and checks the response. */
import type { Agent } from 'undici';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Constraints } from './admission-rules.ts';

export interface Webhook extends Constraints {
  readonly name: string;
  readonly clientConfig: { readonly url?: string; readonly caBundle?: string };
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly timeoutSeconds?: number;
  readonly sideEffects?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

export interface ReviewResponse {
  readonly allowed: boolean;
  /** JSON patch (RFC 6902). */
  readonly patch?: readonly Json[];
  readonly warnings?: readonly string[];
  readonly status?: { readonly code?: number; readonly reason?: string; readonly message?: string };
}

const defaultTimeoutSeconds = 10;

/** Throws an Error with the message that the API server would give. */
export async function postReview(webhook: Webhook, review: JsonObject): Promise<ReviewResponse> {
  const seconds = webhook.timeoutSeconds ?? defaultTimeoutSeconds;
  const url = new URL(webhook.clientConfig.url ?? '');
  if (url.protocol !== 'https:') throw new Error(`webhook URL ${url.href} is not https`);
  url.searchParams.set('timeout', `${seconds}s`);
  const { caBundle } = webhook.clientConfig;
  const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString('utf8');
  // Loaded with the first webhook. Most sandboxes have none and save 17 MiB.
  const undici = await import('undici');
  const dispatcher = new undici.Agent({ connect: ca === undefined ? {} : { ca } });
  try {
    return await post(url, dispatcher, review, seconds);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`failed to call webhook: Post ${JSON.stringify(url.href)}: ${why}`, {
      cause: error,
    });
  } finally {
    await dispatcher.close();
  }
}

async function post(
  url: URL,
  dispatcher: Agent,
  review: JsonObject,
  seconds: number,
): Promise<ReviewResponse> {
  const { request } = await import('undici');
  const { statusCode, body } = await request(url, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(review),
    signal: AbortSignal.timeout(seconds * 1000),
  });
  const text = await body.text();
  if (statusCode < 200 || statusCode > 299) {
    throw new Error(`the server answered ${statusCode}: ${text.slice(0, 200)}`);
  }
  const { uid } = review['request'] as { readonly uid: string };
  return parsed(JSON.parse(text) as unknown, uid);
}

function parsed(answer: unknown, uid: string): ReviewResponse {
  const response = recordOf(recordOf(answer)['response']);
  if (response['uid'] !== uid)
    throw new Error('the response does not carry the uid of the request');
  const { allowed, patch, patchType, warnings, status } = response;
  if (patch !== undefined && patchType !== 'JSONPatch') {
    throw new Error(`webhook returned a patch of type ${JSON.stringify(patchType)}`);
  }
  return {
    allowed: allowed === true,
    ...(typeof patch === 'string' ? { patch: decodedPatch(patch) } : {}),
    ...(Array.isArray(warnings) ? { warnings: warnings.map(String) } : {}),
    ...(status === undefined ? {} : { status: recordOf(status) }),
  };
}

function decodedPatch(text: string): readonly Json[] {
  const patch: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  if (!Array.isArray(patch)) throw new Error('webhook returned a patch that is no list');
  return patch as readonly Json[];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
