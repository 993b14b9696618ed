import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import {
  deliveryWindowMs,
  parseDeliveryKeys,
  readClaim,
  requireSameId,
  requireSignature,
  signDelivery,
} from './delivery-signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const keys = (text = secret) => parseDeliveryKeys(text, 'the test');
const atMs = 1_614_265_330_000;
const body = '{"test": 2432232314}';
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', atMs, body };
const structured = { 'content-type': 'application/cloudevents+json' };

function verify(headers: Record<string, string>, text = body, nowMs = atMs, own = keys()): void {
  requireSignature(own, readClaim({ ...structured, ...headers }, nowMs), Buffer.from(text));
}
function reasonOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof MillraceError) return error.fields['reason'];
    throw error;
  }
  return 'taken';
}

it('signs as the published vector of Standard Webhooks', () => {
  expect(signDelivery(keys(), message)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('takes what was signed, and nothing of which a byte differs', () => {
  expect(reasonOf(() => verify(signDelivery(keys(), message)))).toBe('taken');
  const names = ['webhook-id', 'webhook-timestamp', 'body', 'webhook-signature'] as const;
  const changes = fc.tuple(
    fc.constantFrom(...names),
    fc.nat({ max: 40 }),
    fc.constantFrom('0', '1'),
  );
  fc.assert(
    fc.property(changes, ([name, index, character]) => {
      const signed: Record<string, string> = { ...signDelivery(keys(), message), body };
      const before = signed[name] ?? '';
      const at = index % before.length;
      const after = `${before.slice(0, at)}${character}${before.slice(at + 1)}`;
      fc.pre(after !== before);
      const { body: text, ...headers } = { ...signed, [name]: after };
      expect(reasonOf(() => verify(headers, text))).not.toBe('taken');
    }),
  );
});

it('takes any of two keys on either side, and neither of none', () => {
  const [old, both, fresh, other] = [keyOf(1), `${keyOf(1)} ${keyOf(2)}`, keyOf(2), keyOf(3)];
  const take = (signer: string, receiver: string) =>
    reasonOf(() => verify(signDelivery(keys(signer), message), body, atMs, keys(receiver)));
  for (const [signer, receiver] of [
    [old, both],
    [both, old],
    [fresh, both],
    [both, fresh],
  ] as const)
    expect(take(signer, receiver)).toBe('taken');
  for (const [signer, receiver] of [
    [old, fresh],
    [other, both],
    [both, other],
  ] as const)
    expect(take(signer, receiver)).toBe('signature');
});

describe('before the body', () => {
  const signed = { ...structured, ...signDelivery(keys(), message) };
  const claim = (headers: Record<string, string>, nowMs = atMs) =>
    reasonOf(() => readClaim(headers, nowMs));
  it.each([-deliveryWindowMs, 0, deliveryWindowMs])(
    'a clock that is %d ms off is taken',
    (offMs) => {
      expect(claim(signed, atMs + offMs)).toBe('taken');
    },
  );
  it.each([-deliveryWindowMs - 1, deliveryWindowMs + 1])(
    'one that is %d ms off is refused, and both times are named',
    (offMs) => {
      expect(claim(signed, atMs + offMs)).toBe('clock');
      const [sent, here] = [atMs, atMs + offMs].map((ms) => new Date(ms).toISOString());
      expect(() => readClaim(signed, atMs + offMs)).toThrow(sent);
      expect(() => readClaim(signed, atMs + offMs)).toThrow(here);
    },
  );
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('%s is asked for', (name) => {
    const rest = Object.fromEntries(Object.entries(signed).filter(([header]) => header !== name));
    expect(claim(rest)).toBe('missing');
  });
  it.each(['', 'now', '-1', '1e9', '1614265330.5', '1614265330, 1614265330', '9'.repeat(13)])(
    'the time "%s" is refused',
    (timestamp) => {
      expect(claim({ ...signed, 'webhook-timestamp': timestamp })).toBe('malformed');
    },
  );
  it.each(['', 'application/json', 'application/cloudevents-batch+json'])(
    'binary mode, whose attributes are not signed, is refused: "%s"',
    (type) => {
      expect(claim({ ...signed, 'content-type': type })).toBe('malformed');
    },
  );
});

it('binds the event to the id that was signed', () => {
  const claim = readClaim({ ...structured, ...signDelivery(keys(), message) }, atMs);
  expect(reasonOf(() => requireSameId(claim, message.id))).toBe('taken');
  expect(reasonOf(() => requireSameId(claim, 'another'))).toBe('malformed');
});

it.each(['', '  \n', 'secret', 'whsec_', 'whsec_%%%%', 'whsec_c2hvcnQ=', `${keyOf(1)} `.repeat(3)])(
  'the key %j is refused, and not repeated in the reason',
  (text) => {
    expect(() => parseDeliveryKeys(text, 'the file')).toThrow(/in the file: /);
    const shown = text.trim().slice(6, 20);
    if (shown !== '') expect(() => parseDeliveryKeys(text, 'f')).not.toThrow(shown);
  },
);
