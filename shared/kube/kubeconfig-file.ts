/** The light path: a single kubeconfig whose credentials are files, data or a token. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { ownMember } from '#shared/domain/own-member.ts';
import { connect, type Connection, type Credentials, type TlsMaterial } from './connection.ts';
import { kubeconfigUnusable } from './kubeconfig-fault.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One context of a kubeconfig (k8s.io/client-go tools/clientcmd/api/v1, Config). */
interface ChosenContext {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: Fields;
  readonly user: Fields;
}

/**
 * Opens the context without @kubernetes/client-node. Undefined if its user needs a credential plugin,
 * which only that library runs. Throws MR_KUBECONFIG_UNUSABLE.
 */
export async function connectByFile(
  path: string,
  contextName: string | undefined,
): Promise<Connection | undefined> {
  try {
    let context = chooseContext(await parseFile(path), contextName);
    if (context.user['exec'] !== undefined || context.user['auth-provider'] !== undefined) {
      return undefined;
    }
    refuseUnsupported(context);
    const proxyUrl = textOf(context.cluster, 'proxy-url');
    const server = requiredText(context.cluster, 'server', `cluster of context ${context.name}`);
    return await connect({
      server,
      namespace: context.namespace,
      describe: `${path}, context ${context.name}, server ${server}`,
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
      read: async (forced) => {
        if (forced) context = chooseContext(await parseFile(path), contextName);
        return readCredentials(path, context);
      },
    });
  } catch (cause) {
    throw kubeconfigUnusable(path, cause);
  }
}

async function parseFile(path: string): Promise<Fields> {
  const text = await readFile(path, 'utf8');
  const { parse } = await import('yaml');
  return fieldsOf(parse(text) as unknown, 'the file');
}

function chooseContext(config: Fields, contextName: string | undefined): ChosenContext {
  const name = contextName ?? textOf(config, 'current-context');
  if (name === undefined) throw new Error('no current-context is set and none was named');
  const context = entryOf(config, 'contexts', name, 'context');
  const clusterName = requiredText(context, 'cluster', `context ${name}`);
  const userName = textOf(context, 'user');
  return {
    name,
    namespace: textOf(context, 'namespace') ?? 'default',
    cluster: entryOf(config, 'clusters', clusterName, 'cluster'),
    user: userName === undefined ? {} : entryOf(config, 'users', userName, 'user'),
  };
}

function entryOf(config: Fields, list: string, name: string, field: string): Fields {
  const entries = ownMember(config, list);
  const found = (Array.isArray(entries) ? (entries as unknown[]) : [])
    .map((entry) => fieldsOf(entry, `an entry of ${list}`))
    .find((entry) => entry['name'] === name);
  if (found === undefined) throw new Error(`there is no ${field} ${name}`);
  return fieldsOf(ownMember(found, field), `${field} ${name}`);
}

/** Ignoring these settings would act with other rights, or by another route, than was asked for. */
function refuseUnsupported({ user, cluster }: ChosenContext): void {
  for (const field of ['as-uid', 'as-user-extra']) {
    if (user[field] !== undefined) throw new Error(`${field} is not supported`);
  }
  if (textOf(cluster, 'proxy-url')?.startsWith('socks') === true) {
    throw new Error('a SOCKS proxy-url is not supported');
  }
}

async function readCredentials(path: string, context: ChosenContext): Promise<Credentials> {
  const { cluster, user } = context;
  const folder = dirname(path);
  try {
    return {
      tls: await tlsMaterial(cluster, user, folder),
      headers: { ...(await authorization(user, folder)), ...impersonation(user) },
    };
  } catch (cause) {
    throw kubeconfigUnusable(path, cause);
  }
}

async function tlsMaterial(cluster: Fields, user: Fields, folder: string): Promise<TlsMaterial> {
  const ca = await pemOf(cluster, 'certificate-authority', folder);
  const cert = await pemOf(user, 'client-certificate', folder);
  const key = await pemOf(user, 'client-key', folder);
  const servername = textOf(cluster, 'tls-server-name');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  };
}

/** The data field wins over the file, as in client-go. */
async function pemOf(fields: Fields, field: string, folder: string): Promise<string | undefined> {
  const data = textOf(fields, `${field}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  const file = textOf(fields, field);
  return file === undefined ? undefined : readFile(resolve(folder, file), 'utf8');
}

/** The token file wins over the token, as in client-go, because the file is kept fresh. */
async function authorization(user: Fields, folder: string): Promise<Record<string, string>> {
  const tokenFile = textOf(user, 'tokenFile');
  const token =
    tokenFile === undefined
      ? textOf(user, 'token')
      : (await readFile(resolve(folder, tokenFile), 'utf8')).trim();
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  const username = textOf(user, 'username');
  if (username === undefined) return {};
  const pair = `${username}:${textOf(user, 'password') ?? ''}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function impersonation(user: Fields): Record<string, string | string[]> {
  const name = textOf(user, 'as');
  if (name === undefined) return {};
  const groups = user['as-groups'];
  return {
    'impersonate-user': name,
    ...(Array.isArray(groups) ? { 'impersonate-group': groups.map(String) } : {}),
  };
}

/** Paths in a kubeconfig are relative to its folder. */
function resolve(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function textOf(fields: Fields, field: string): string | undefined {
  const value = ownMember(fields, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function requiredText(fields: Fields, field: string, where: string): string {
  const value = textOf(fields, field);
  if (value === undefined) throw new Error(`${where} has no ${field}`);
  return value;
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} is empty, or no YAML mapping`);
  }
  return value as Fields;
}
