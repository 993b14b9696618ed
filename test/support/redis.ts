import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-ports.ts';
import { ManagedProcess } from './managed-process.ts';
import { startOrphanGuard } from './orphan-guard.ts';
import { obtainRedisServer } from './redis-binary.ts';

export interface RedisOptions {
  /** A free 127.0.0.1 port when absent. */
  readonly port?: number;
  /** Append-only file with a sync per write: what was acknowledged survives `kill`. Default off. */
  readonly persistence?: boolean;
  readonly progress?: (line: string) => void;
}

export interface Redis {
  readonly url: string;
  /** Temporary folder with its data and log; gone after `stop`. */
  readonly folder: string;
  /** Undefined while it is not running. */
  readonly pid: number | undefined;
  /** Ends it for good and removes its data. */
  stop(): Promise<void>;
  /** SIGKILL; `restart` brings it back. */
  kill(): Promise<void>;
  /** On the same port, with its data only when it is persistent. Resolves when it answers. */
  restart(): Promise<void>;
}

/** An own redis-server, for tests that kill or flush it. Throws `RedisUnavailable`. */
export async function startRedis(options: RedisOptions = {}): Promise<Redis> {
  const command = await obtainRedisServer(options.progress ?? (() => undefined));
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-redis-'));
  const guard = startOrphanGuard(folder);
  const server = new ManagedProcess({
    command,
    args: flags(port, folder, options.persistence ?? false),
    logFile: join(folder, 'redis.log'),
    guard,
  });
  const start = async () => {
    server.start();
    await server.waitUntil(() => answersPing(port), 10_000);
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
    url: `redis://127.0.0.1:${port}`,
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

function flags(port: number, folder: string, persistence: boolean): readonly string[] {
  const always = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const keep = persistence ? ['yes', '--appendfsync', 'always'] : ['no'];
  // BullMQ asks for noeviction; it is stated here because a distribution may change the default.
  return [...always, '--maxmemory-policy', 'noeviction', '--appendonly', ...keep];
}

/** While it loads its data Redis answers an error instead of PONG. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString('utf8').startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
