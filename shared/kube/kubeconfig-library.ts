/** The full path: credential plugins and merged files, through @kubernetes/client-node. */
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import {
  connect,
  type Connection,
  type Credentials,
  type Headers,
  type TlsMaterial,
} from './connection.ts';
import { kubeconfigUnusable } from './kubeconfig-fault.ts';

/** Opens a context with everything that KubeConfig supports. Throws MR_KUBECONFIG_UNUSABLE. */
export async function connectByLibrary(
  files: readonly string[],
  contextName: string | undefined,
): Promise<Connection> {
  const path = files.join(', ');
  try {
    let config = loadMerged(files, contextName);
    const name = config.getCurrentContext();
    const context = config.getContextObject(name);
    const server = config.getCurrentCluster()?.server;
    if (context === null || server === undefined) throw new Error(`there is no context ${name}`);
    const proxyUrl = config.getCurrentCluster()?.proxyUrl;
    return await connect({
      server,
      namespace: context.namespace ?? 'default',
      describe: `${path}, context ${name}, server ${server}`,
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
      read: (forced) => {
        // Only a new KubeConfig runs a plugin again before its last answer has expired.
        if (forced) config = loadMerged(files, contextName);
        return readCredentials(config, path);
      },
    });
  } catch (cause) {
    throw kubeconfigUnusable(path, cause);
  }
}

function loadMerged(files: readonly string[], contextName: string | undefined): KubeConfig {
  const [first, ...others] = files.map((file) => {
    const config = new KubeConfig();
    config.loadFromFile(file);
    return config;
  });
  if (first === undefined) throw new Error('no file is named');
  // As in kubectl, the first file that sets a current context decides.
  for (const other of others) first.mergeConfig(other, Boolean(first.getCurrentContext()));
  if (contextName !== undefined) first.setCurrentContext(contextName);
  return first;
}

/** Runs the plugin if its last answer has expired; KubeConfig keeps the answer until then. */
async function readCredentials(config: KubeConfig, path: string): Promise<Credentials> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    throw kubeconfigUnusable(path, cause);
  }
  return {
    tls: tlsMaterial(options),
    headers: { ...headersOf(options.headers), ...basic(options.auth) },
  };
}

function tlsMaterial(options: RequestOptions): TlsMaterial {
  const ca = pem(options.ca);
  const cert = pem(options.cert);
  const key = pem(options.key);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(options.servername === undefined ? {} : { servername: options.servername }),
    ...(options.rejectUnauthorized === false ? { rejectUnauthorized: false } : {}),
  };
}

function pem(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined;
}

function headersOf(headers: unknown): Headers {
  const entries = Object.entries(headers ?? {}) as [string, unknown][];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function basic(auth: string | null | undefined): Headers {
  if (auth === undefined || auth === null) return {};
  return { authorization: `Basic ${Buffer.from(auth).toString('base64')}` };
}
