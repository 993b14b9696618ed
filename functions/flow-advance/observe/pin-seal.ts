/**
 * Proves that flow-advance itself wrote a pinned template: HMAC-SHA256 (RFC 2104) over the flow, the
 * template, its last editor and its content. Without it, the right to write a flow's status would
 * allow a user to run any Pod.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PinnedTemplate } from '#shared/api/job-flow-status.ts';
import { stableJson } from '#shared/domain/hash.ts';
import type { Uid } from '#shared/domain/objects.ts';

export interface PinSeal {
  of(flow: Uid, template: PinnedTemplate): string;
  /** False: the pin was not sealed for this flow with one of the keys, or was changed since. */
  holds(flow: Uid, pin: PinnedTemplate): boolean;
}

/** `keys` returns the current keys. The first one seals, each of them verifies. */
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
  // A view returns the same object until it changes, and each of a flow's Jobs causes a pass.
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

/** For a process without keys. After a restart its pins are invalid, and templates are read again. */
const keyOfProcess = randomBytes(32);
export const sealOfProcess: PinSeal = createPinSeal(() => [keyOfProcess]);
