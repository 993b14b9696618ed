/**
 * Proves that flow-advance itself wrote a pinned template: HMAC-SHA256 (RFC 2104) over the flow, the template, its
 * last editor and its content. Without it a user who may write the status of a flow could run any Pod by it.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PinnedTemplate } from '#shared/api/job-flow-status.ts';
import { stableJson } from '#shared/domain/hash.ts';
import type { Uid } from '#shared/domain/objects.ts';

export interface PinSeal {
  of(flow: Uid, template: PinnedTemplate): string;
  /** False: it was not sealed for this flow with one of the keys, or was changed since. */
  holds(flow: Uid, pin: PinnedTemplate): boolean;
}

/** `keys`: those of now; the first one seals, each of them proves. */
export function createPinSeal(keys: () => readonly Uint8Array[]): PinSeal {
  const derived = new WeakMap<Uint8Array, Buffer>();
  const derive = (key: Uint8Array): Buffer => {
    const known = derived.get(key);
    if (known !== undefined) return known;
    const made = Buffer.from(hkdfSync('sha256', key, '', 'millrace pins', 32));
    derived.set(key, made);
    return made;
  };
  const digest = (key: Uint8Array, text: string): Buffer =>
    createHmac('sha256', derive(key)).update(text).digest();
  // A view gives the same object until it changes, and a flow is looked at for each of its Jobs.
  const proven = new WeakMap<PinnedTemplate, Uid>();
  return {
    of: (flow, template) => {
      const [key] = keys();
      if (key === undefined) throw new Error('there is no key to seal with');
      return digest(key, textOf(flow, template)).toString('base64url');
    },
    holds: (flow, pin) => {
      if (proven.get(pin) === flow) return true;
      const seal = Buffer.from(pin.seal ?? '', 'base64url');
      const text = textOf(flow, pin);
      const isProven = keys().some((key) => {
        const expected = digest(key, text);
        return seal.length === expected.length && timingSafeEqual(seal, expected);
      });
      if (isProven) proven.set(pin, flow);
      return isProven;
    },
  };
}

function textOf(flow: Uid, template: PinnedTemplate): string {
  const { name, uid, generation, hash, submitter = null, jobTemplate } = template;
  const sealed = [flow, name, uid, generation, hash, submitter, jobTemplate];
  return stableJson(sealed);
}

/** Of a process without keys: after a restart its pins prove nothing, and templates are read anew. */
const keyOfProcess = randomBytes(32);
export const sealOfProcess: PinSeal = createPinSeal(() => [keyOfProcess]);
