/**
 * The signature by which a delivery authenticates its sender: Standard Webhooks 1.0 with a symmetric secret. It
 * covers id, time and body. A binary CloudEvent has its attributes in headers. So a signed one uses
 * structured mode, in which the body has everything.
 *
 * A repeated signed delivery within the window is accepted. A dispatcher repeats an id with every attempt,
 * and the function reads the object anyway, so a repetition costs one read. Beyond the window it is refused.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MillraceError } from '#shared/domain/errors.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/** The sender's claim in the headers, to be checked against the signature. */
export interface DeliveryClaim {
  readonly id: string;
  /** Seconds since the epoch, unparsed. */
  readonly timestamp: string;
  readonly signatures: readonly string[];
}

/** Why a delivery is refused; a bounded label. */
export type RefusalReason = 'missing' | 'malformed' | 'clock' | 'signature';

/** Largest accepted difference between the clocks of sender and receiver, in milliseconds. */
export const deliveryWindowMs = 300_000;

/** During a replacement there are an old and a new key. */
const maxKeys = 2;
const keyBytes = { least: 24, most: 64 };

/**
 * One key, or two during a replacement. Each is `whsec_` and 24 to 64 bytes in base64; blanks or line ends
 * separate them. Throws MR_DELIVERY_KEY_INVALID, which names `source` and never the key.
 */
export function parseDeliveryKeys(text: string, source: string): readonly Uint8Array[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const refuse = (detail: string): never => {
    throw new MillraceError('MR_DELIVERY_KEY_INVALID', { source, detail });
  };
  if (words.length === 0) refuse('there is none');
  if (words.length > maxKeys) refuse(`there are ${words.length}, at most ${maxKeys} are taken`);
  return words.map((word, index) => {
    const base64 = /^whsec_([A-Za-z0-9+/]{4,}={0,2})$/.exec(word)?.[1];
    if (base64 === undefined) return refuse(`key ${index + 1} is not whsec_ and base64`);
    const key = Buffer.from(base64, 'base64');
    const { least, most } = keyBytes;
    if (key.length >= least && key.length <= most) return key;
    return refuse(`key ${index + 1} has ${key.length} bytes, not ${least} to ${most}`);
  });
}

/** The headers that sign a body with every key, so that a receiver with only one of them can verify it. */
export function signDelivery(
  keys: readonly Uint8Array[],
  { id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const bytes = Buffer.from(body);
  const signatures = keys.map(
    (key) => `v1,${digest(key, { id, timestamp }, bytes).toString('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * The checks before the body is read. Throws MR_DELIVERY_UNAUTHENTICATED whose `reason` is a {@link
 * RefusalReason}: without the three headers, in binary mode, or outside the window.
 */
export function readClaim(headers: IncomingHttpHeaders, nowMs: number): DeliveryClaim {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => {
    const value = ownMember(headers, `webhook-${name}`);
    return typeof value === 'string' ? value : refuse('missing', `it has no webhook-${name}`);
  }) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) refuse('malformed', 'webhook-timestamp is not in seconds');
  requireStructured(headers['content-type'] ?? '');
  requireWindow(Number(timestamp) * 1_000, nowMs);
  return {
    id,
    timestamp,
    signatures: signature.split(' ').filter((each) => each.startsWith('v1,')),
  };
}

/** Throws MR_DELIVERY_UNAUTHENTICATED unless one of the keys signed these bytes under this claim. */
export function requireSignature(
  keys: readonly Uint8Array[],
  claim: DeliveryClaim,
  body: Uint8Array,
): void {
  const given = claim.signatures.map((signature) => Buffer.from(signature.slice(3), 'base64'));
  const isSigned = keys.some((key) => {
    const wanted = digest(key, claim, body);
    return given.some((each) => each.length === wanted.length && timingSafeEqual(each, wanted));
  });
  if (!isSigned) refuse('signature', 'no key of this function made its signature');
}

/** Throws MR_DELIVERY_UNAUTHENTICATED if the event's id differs from the signed one. */
export function requireSameId(claim: DeliveryClaim, eventId: string): void {
  if (claim.id !== eventId) refuse('malformed', 'webhook-id is not the id of the event');
}

function digest(
  key: Uint8Array,
  { id, timestamp }: Pick<DeliveryClaim, 'id' | 'timestamp'>,
  body: Uint8Array,
): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}

function requireStructured(contentType: string): void {
  if (contentType.trim().toLowerCase().startsWith('application/cloudevents+json')) return;
  refuse('malformed', 'it is not in structured mode, and a signature covers the body alone');
}

function requireWindow(sentMs: number, nowMs: number): void {
  if (Math.abs(nowMs - sentMs) <= deliveryWindowMs) return;
  const [sent, now] = [sentMs, nowMs].map((ms) => new Date(ms).toISOString());
  const limit = deliveryWindowMs / 1_000;
  refuse('clock', `it was signed at ${sent}, here it is ${now}: more than ${limit} s apart`);
}

function refuse(reason: RefusalReason, detail: string): never {
  throw new MillraceError('MR_DELIVERY_UNAUTHENTICATED', { reason, detail });
}
