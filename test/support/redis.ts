import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-ports.ts';
import { ManagedProcess } from './managed-process.ts';
import { startOrphanGuard } from './orphan-guard.ts';
import { obtainRedisServer } from './redis-binary.ts';

export interface RedisOptions {
  /** Absent: a free port of 127.0.0.1. */
  readonly port?: number;
  /** Append-only file with a sync per write: acknowledged writes survive `kill`. Default off. */
  readonly persistence?: boolean;
  /** Content of its ACL file. Absent: every client has all rights. */
  readonly users?: string;
  /** More arguments of redis-server. */
  readonly args?: readonly string[];
  /** Present: it speaks only TLS. PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly progress?: (line: string) => void;
}

export interface Redis {
  /** Without a user. */
  readonly url: string;
  /** Temporary folder with its data and log; removed by `stop`. */
  readonly folder: string;
  /** Undefined while it is not running. */
  readonly pid: number | undefined;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** SIGKILL; `restart` brings it back. */
  kill(): Promise<void>;
  /** On the same port, with its data only if it is persistent. Resolves when it answers. */
  restart(): Promise<void>;
}

/** A separate redis-server, for tests that kill or flush it. Throws `RedisUnavailable`. */
export async function startRedis(options: RedisOptions = {}): Promise<Redis> {
  const command = await obtainRedisServer(options.progress ?? (() => undefined));
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-redis-'));
  const guard = startOrphanGuard(folder);
  const server = new ManagedProcess({
    command,
    args: [
      ...flags(folder, options.persistence ?? false),
      ...(await securityFlags(port, folder, options)),
      ...(options.args ?? []),
    ],
    logFile: join(folder, 'redis.log'),
    guard,
  });
  const start = async () => {
    server.start();
    await server.waitUntil(() => answersPing(port, options.tls !== undefined));
  };
  const stop = async () => {
    await server.stop();
    guard.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `${options.tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    folder,
    get pid() {
      return server.pid;
    },
    stop,
    kill: () => server.kill('SIGKILL'),
    restart: async () => {
      await server.stop();
      await start();
    },
  };
}

function flags(folder: string, persistence: boolean): readonly string[] {
  const always = ['--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const keep = persistence ? ['yes', '--appendfsync', 'always'] : ['no'];
  // BullMQ requires noeviction. It is set explicitly because a distribution may change the default.
  return [...always, '--maxmemory-policy', 'noeviction', '--appendonly', ...keep];
}

async function securityFlags(
  port: number,
  folder: string,
  { users, tls }: RedisOptions,
): Promise<readonly string[]> {
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const acl = users === undefined ? [] : ['--aclfile', await file('users.acl', users)];
  if (tls === undefined) return ['--port', String(port), ...acl];
  const cert = ['--tls-cert-file', await file('tls.crt', tls.cert)];
  const key = ['--tls-key-file', await file('tls.key', tls.key)];
  const ports = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'];
  return [...ports, ...cert, ...key, ...acl];
}

/**
 * While it loads its data, Redis answers PING with an error. A demand for authentication is not such an
 * error.
 */
function answersPing(port: number, isSecure: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const ask = () => socket.write('PING\r\n');
    const socket = isSecure
      ? connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false }, ask)
      : connect(port, '127.0.0.1', ask);
    socket.once('data', (reply: Buffer) => {
      socket.destroy();
      resolve(/^(?:\+PONG|-NOAUTH)/.test(reply.toString('utf8')));
    });
    socket.once('error', () => resolve(false));
  });
}
