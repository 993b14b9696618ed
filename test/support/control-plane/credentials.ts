import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

const masters = ['system:masters'];

/**
 * The components have their own names, so that the audit log distinguishes them from the tests'
 * admin.
 */
export const builtInUsers = {
  admin: { name: 'admin', groups: masters },
  'kube-controller-manager': { name: 'system:kube-controller-manager', groups: masters },
  'kube-scheduler': { name: 'system:kube-scheduler', groups: masters },
  kwok: { name: 'kwok', groups: masters },
} as const satisfies Record<string, User>;

export interface Credentials {
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  /** Bearer token by user name. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** Writes the token-auth-file and the key that signs service account tokens. */
export async function createCredentials(
  folder: string,
  users: readonly User[],
): Promise<Credentials> {
  const all = [...Object.values(builtInUsers), ...users];
  const tokens = new Map(all.map(({ name }) => [name, randomBytes(24).toString('hex')]));
  const rows = all.map((user) => tokenRow(user, tokens.get(user.name)!));
  const tokenFile = join(folder, 'tokens.csv');
  await writeFile(tokenFile, `${rows.join('\n')}\n`, { mode: 0o600 });

  const serviceAccountKey = join(folder, 'service-account.key');
  // An elliptic key takes a millisecond, an RSA key up to a second.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'sec1', format: 'pem' });
  await writeFile(serviceAccountKey, pem, { mode: 0o600 });
  return { tokenFile, serviceAccountKey, tokens };
}

function tokenRow({ name, groups = [] }: User, token: string): string {
  const quoted = groups.length > 0 ? `,"${groups.join(',')}"` : '';
  return `${token},${name},${name}${quoted}`;
}
