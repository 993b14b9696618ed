import { randomBytes } from 'node:crypto';
import { parseDeliveryKeys, signDelivery } from '#shared/events/delivery-signature.ts';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';

export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function newDeliveryKey(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The dispatcher's delivery when the JobFlow of this name is due, signed at `atMs`. */
export function signedDelivery(
  name: string,
  key: string,
  atMs: number,
  uid = `u-${name}`,
): SignedDelivery {
  const attributes = Object.entries({ ...dueHeaders(name), 'ce-uid': uid }).map(
    ([header, value]) => [header.slice('ce-'.length), value] as const,
  );
  const body = JSON.stringify(Object.fromEntries(attributes));
  const keys = parseDeliveryKeys(key, 'the test');
  const signature = signDelivery(keys, { id: `id.${name}`, atMs, body });
  return { headers: { 'content-type': 'application/cloudevents+json', ...signature }, body };
}
