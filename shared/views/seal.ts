/**
 * Encrypts and authenticates the content of views, because others may read and write their store. It uses
 * AES-256-GCM (NIST SP 800-38D) with a key that is derived from a delivery key (HKDF, RFC 5869). The
 * authentication covers cluster, root, object and version, so an entry cannot be moved elsewhere. An old
 * entry can be put back, which only makes the view late, as it may always be.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Seal {
  /** `place`: what the content belongs to, as authenticated. */
  close(content: string, place: string): string;
  /** Undefined: not sealed with one of the keys, or not for this place. */
  open(sealed: string, place: string): string | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const proofBytes = 16;

/**
 * `keys`: the current ones. The first one seals, each of them opens. `cluster`: its uid, so that one key
 * may serve several clusters.
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

/** The place that an entry is sealed for. */
export function placeOf(root: string, key: string, version: string): string {
  return `${root} ${key} ${version}`;
}
