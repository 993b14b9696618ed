/**
 * A self-signed certificate. kubectl sends a token only over TLS (client-go clientcmd: credentials are read
 * only for a secure server). An API server calls webhooks only over TLS.
 *
 * It is written in DER (RFC 5280), because Node creates keys and signatures but no certificates. A library
 * for certificates would cost 0.5 s of start-up and 24 MB.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Texts are PEM. */
export interface OwnCertificate {
  readonly cert: string;
  readonly key: string;
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

/**
 * ECDSA on P-256, for the given names, else for 127.0.0.1, ::1 and localhost. Valid from an hour before
 * `nowMs`, for a year or for the given number of milliseconds.
 */
export function createOwnCertificate(
  nowMs: number,
  dnsNames: readonly string[] = [],
  validMs = yearMs,
): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oids.commonName, der(tags.utf8String, 'millrace'))));
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([version3]))),
    integer(randomBytes(16)),
    sequence(oids.ecdsaWithSha256),
    name,
    sequence(utcTime(nowMs - hourMs), utcTime(nowMs + validMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensionsFor(dnsNames))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, sequence(oids.ecdsaWithSha256), bitString(signature));
  return {
    cert: pem('CERTIFICATE', certificate),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

const version3 = 2;
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  explicit: 0xa0,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

const oids = {
  commonName: oid('550403'),
  ecdsaWithSha256: oid('2a8648ce3d040302'),
  keyUsage: oid('551d0f'),
  subjectAltName: oid('551d11'),
  basicConstraints: oid('551d13'),
  extendedKeyUsage: oid('551d25'),
  serverAuth: oid('2b06010505070301'),
};

const loopback = {
  v4: Buffer.from([127, 0, 0, 1]),
  v6: Buffer.concat([Buffer.alloc(15), Buffer.from([1])]),
};
/** digitalSignature and keyCertSign. */
const keyUsage = Buffer.from([0x84]);
const isTrue = der(tags.boolean, Buffer.from([0xff]));

/** The certificate is its own authority: a kubeconfig or a webhook names it as such. */
function extensionsFor(dnsNames: readonly string[]): readonly Buffer[] {
  const names = dnsNames.map((name) => der(tags.dnsName, name));
  return [
    extension(oids.basicConstraints, sequence(isTrue), true),
    extension(oids.keyUsage, bitString(keyUsage, 2), true),
    extension(oids.extendedKeyUsage, sequence(oids.serverAuth)),
    extension(oids.subjectAltName, sequence(...(names.length === 0 ? namesOfLoopback : names))),
  ];
}

const namesOfLoopback = [
  der(tags.dnsName, 'localhost'),
  der(tags.ipAddress, loopback.v4),
  der(tags.ipAddress, loopback.v6),
];

function extension(id: Buffer, value: Buffer, critical = false): Buffer {
  return sequence(id, ...(critical ? [isTrue] : []), der(tags.octetString, value));
}

function der(tag: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(bytes), bytes]);
}

/** X.690 section 8.1.3: short form below 128, else the number of length bytes first. */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(tags.sequence, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(tags.set, Buffer.concat(parts));
}

function explicit(number: number, content: Buffer): Buffer {
  return der(tags.explicit | number, content);
}

/** Positive, in the fewest possible bytes. */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const magnitude = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  const needsSign = (magnitude[0] ?? 0) >= 0x80;
  return der(tags.integer, needsSign ? Buffer.concat([Buffer.from([0]), magnitude]) : magnitude);
}

function bitString(bits: Buffer, unused = 0): Buffer {
  return der(tags.bitString, Buffer.concat([Buffer.from([unused]), bits]));
}

function oid(hex: string): Buffer {
  return der(tags.objectIdentifier, Buffer.from(hex, 'hex'));
}

/** `YYMMDDhhmmssZ`, which RFC 5280 requires up to the year 2049. */
function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  return der(tags.utcTime, `${digits.slice(2)}Z`);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
