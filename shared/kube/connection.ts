/** One API server with its connection pools, and credentials that are read again when they change. */
import { refuseUnsafe } from './unsafe-credentials.ts';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { trimEnd } from './trim-end.ts';

/** Header values. A repeated header is a list. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** The address and credentials of a request, beside its path. */
export interface Connection {
  /** Scheme, host, port and path prefix, without a trailing slash. */
  readonly server: string;
  /** The shared pool. Get it for each request: it is replaced when certificates change. */
  readonly dispatcher: Dispatcher;
  /**
   * For streams: each one has its own connection. In the bounded pool, watches would leave no connection for
   * requests. Replaced with `dispatcher`.
   */
  readonly streams: Dispatcher;
  /** Authorization and impersonation. Reads the credentials again when they are a minute old. */
  headers(): Promise<Headers>;
  /** After a 401: reads the credentials again. Returns whether they differ from before. */
  refresh(): Promise<boolean>;
  /** The namespace of the context; `default` if it names none. */
  readonly namespace: string;
  /** The namespace of this process's Pod; absent outside a cluster. */
  readonly podNamespace?: string;
  /** For logs: the source of the configuration and its server, without secrets. */
  readonly describe: string;
  close(): Promise<void>;
}

/** In the form of node:tls; texts are PEM. */
export interface TlsMaterial {
  /** Absent: Node's trusted roots. */
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
   * Reads the credentials from their source. `forced`: the server refused the last ones. Throws
   * MR_KUBECONFIG_UNUSABLE.
   */
  readonly read: (forced: boolean) => Promise<Credentials>;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

/** Period after which a projected service account token is read again, in milliseconds. As client-go. */
export const rereadAfterMs = 60_000;

/**
 * Reads the credentials for the first time here, so that a fault shows at the start. Throws what `read`
 * throws, and an error that says what is unsafe about the credentials.
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
    // A file that is unreadable for a moment does not stop the process. The last credentials may still be
    // valid, and otherwise the server answers 401.
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

  /** Concurrent requests wait for the same read. */
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
      // Not awaited: closing waits for the last request and the last watch, which end by their own timeouts.
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
