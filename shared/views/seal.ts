/**
 * What views hold travels through a store that others may read and write: it is encrypted and proven
 * (AES-256-GCM, NIST SP 800-38D), under a key that is derived from a delivery key (HKDF, RFC 5869).
 * What it is proven of (cluster, root, object, version) is part of the proof, so an entry cannot be moved
 * to another place. An entry that was true once can be put back: a view may always be late.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Seal {
  /** `place`: what the content is proven to belong to. */
  close(content: string, place: string): string;
  /** Undefined: not sealed by one of our keys, or not for this place. */
  open(sealed: string, place: string): string | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const proofBytes = 16;

/**
 * `keys`: those of now; the first one closes, each of them opens. `cluster`: its uid, so that one key
 * may serve several.
 */
export function createSeal(keys: () => readonly Uint8Array[], cluster: string): Seal {
  const derived = new WeakMap<Uint8Array, Buffer>();
  const derive = (key: Uint8Array): Buffer => {
    const known = derived.get(key);
    if (known !== undefined) return known;
    const made = Buffer.from(hkdfSync('sha256', key, cluster, 'millrace views', 32));
    derived.set(key, made);
    return made;
  };
  return {
    close: (content, place) => {
      const [key] = keys();
      if (key === undefined) throw new Error('there is no key to seal with');
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, derive(key), nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < nonceBytes + proofBytes) return undefined;
      for (const key of keys()) {
        const content = opened(bytes, derive(key), Buffer.from(place));
        if (content !== undefined) return content;
      }
      return undefined;
    },
  };
}

function opened(bytes: Buffer, key: Buffer, place: Buffer): string | undefined {
  const nonce = bytes.subarray(0, nonceBytes);
  const proof = bytes.subarray(nonceBytes, nonceBytes + proofBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: proofBytes })
    .setAAD(place)
    .setAuthTag(proof);
  try {
    const body = decipher.update(bytes.subarray(nonceBytes + proofBytes));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** What an entry is sealed for. */
export function placeOf(root: string, key: string, version: string): string {
  return `${root} ${key} ${version}`;
}
