/** One API server, its pools of connections, and credentials that are read again as they change. */
import { refuseUnsafe } from './unsafe-credentials.ts';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { trimEnd } from './trim-end.ts';

/** Header values; a repeated header is a list. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** What a request needs besides its path. */
export interface Connection {
  /** Scheme, host, port and path prefix, without a trailing slash. */
  readonly server: string;
  /** The shared pool. Ask for it per request: it is replaced when certificates change. */
  readonly dispatcher: Dispatcher;
  /**
   * For what stays open: each stream has a connection of its own. In the bounded pool, watches would leave no
   * connection to requests. Replaced with `dispatcher`.
   */
  readonly streams: Dispatcher;
  /** Authorization and impersonation. Reads the credentials again when they are a minute old. */
  headers(): Promise<Headers>;
  /** After a 401: reads the credentials again. Returns whether they differ from before. */
  refresh(): Promise<boolean>;
  /** The namespace of the context; `default` when it names none. */
  readonly namespace: string;
  /** The namespace of the Pod that this process runs in; absent outside a cluster. */
  readonly podNamespace?: string;
  /** For logs: where the configuration came from and which server it names. No secret in it. */
  readonly describe: string;
  close(): Promise<void>;
}

/** As node:tls takes it; texts are PEM. */
export interface TlsMaterial {
  /** Absent: the roots that Node trusts. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  readonly tls: TlsMaterial;
  readonly headers: Headers;
}

export interface ConnectionSettings {
  readonly server: string;
  readonly namespace: string;
  readonly podNamespace?: string;
  readonly describe: string;
  /** An HTTP proxy in between. */
  readonly proxyUrl?: string;
  /**
   * Reads the credentials from where they are kept; `forced` after the server refused the last ones.
   * Throws MR_KUBECONFIG_UNUSABLE.
   */
  readonly read: (forced: boolean) => Promise<Credentials>;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

/** As client-go: a projected service account token is read again this often, in milliseconds. */
export const rereadAfterMs = 60_000;

/**
 * The first read of the credentials happens here, so that a fault shows at the start. Throws what
 * `read` throws, and an error that says what is unsafe about the credentials.
 */
export async function connect(settings: ConnectionSettings): Promise<Connection> {
  const read = async (forced: boolean): Promise<Credentials> => {
    const credentials = await settings.read(forced);
    refuseUnsafe(settings.server, credentials);
    return credentials;
  };
  return new PooledConnection({ ...settings, read }, await read(false));
}

class PooledConnection implements Connection {
  readonly server: string;
  readonly namespace: string;
  readonly podNamespace?: string;
  readonly describe: string;
  readonly #settings: ConnectionSettings;
  readonly #nowMs: () => number;
  #credentials: Credentials;
  #pools: Pools;
  #readAtMs: number;
  #reading: Promise<boolean> | undefined;

  constructor(settings: ConnectionSettings, credentials: Credentials) {
    this.server = trimEnd(settings.server, '/');
    this.namespace = settings.namespace;
    if (settings.podNamespace !== undefined) this.podNamespace = settings.podNamespace;
    this.describe = settings.describe;
    this.#settings = settings;
    this.#nowMs = settings.nowMs ?? (() => performance.now());
    this.#credentials = credentials;
    this.#pools = poolsFor(settings, credentials.tls);
    this.#readAtMs = this.#nowMs();
  }

  get dispatcher(): Dispatcher {
    return this.#pools.requests;
  }

  get streams(): Dispatcher {
    return this.#pools.streams;
  }

  async headers(): Promise<Headers> {
    // A file that cannot be read for a moment is no reason to stop: what was read last may still
    // be valid, and if it is not, the server says so with a 401.
    if (this.#nowMs() - this.#readAtMs >= rereadAfterMs) {
      await this.#readOnce(false).catch(() => false);
    }
    return this.#credentials.headers;
  }

  refresh(): Promise<boolean> {
    return this.#readOnce(true);
  }

  async close(): Promise<void> {
    const { requests, streams } = this.#pools;
    await Promise.all([requests.destroy(), streams.destroy()]);
  }

  /** Requests that come meanwhile wait for the same read. */
  #readOnce(forced: boolean): Promise<boolean> {
    this.#reading ??= this.#readAgain(forced).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAgain(forced: boolean): Promise<boolean> {
    this.#readAtMs = this.#nowMs();
    const before = this.#credentials;
    const after = await this.#settings.read(forced);
    this.#credentials = after;
    if (JSON.stringify(before.tls) !== JSON.stringify(after.tls)) {
      const { requests, streams } = this.#pools;
      this.#pools = poolsFor(this.#settings, after.tls);
      // Not awaited: they wait for the last request and the last watch, which end by their own timeouts.
      void requests.close();
      void streams.close();
    }
    return JSON.stringify(before) !== JSON.stringify(after);
  }
}

interface Pools {
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
}

function poolsFor(settings: ConnectionSettings, tls: TlsMaterial): Pools {
  return {
    requests: poolFor(settings, tls, { connections: 32 }),
    streams: poolFor(settings, tls, {}),
  };
}

function poolFor(
  { proxyUrl }: ConnectionSettings,
  tls: TlsMaterial,
  bound: { readonly connections?: number },
): Dispatcher {
  const pool = { ...bound, keepAliveTimeout: 60_000, pipelining: 1, allowH2: false };
  return proxyUrl === undefined
    ? new Agent({ ...pool, connect: tls })
    : new ProxyAgent({ ...pool, uri: proxyUrl, requestTls: tls });
}
