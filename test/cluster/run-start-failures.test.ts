/** A first start of `millrace run` that cannot succeed: it reports the reason once, and ends with its exit code. */
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine, type CommandLine } from '#functions/millrace/testing/cli.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { describeWithCluster } from '#test/support/require.ts';

/** The limit that the runbook promises. Milliseconds. */
const within = 15_000;

describeWithCluster('a start of millrace run that cannot succeed', (cluster) => {
  let cli: CommandLine;
  let folder: string;
  /** Accepts connections and never answers. */
  let silent: Server;

  beforeAll(async () => {
    cli = await commandLine();
    folder = await mkdtemp(join(tmpdir(), 'millrace-starts-'));
    silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
    silent.close();
    await rm(folder, { recursive: true, force: true });
  });

  const portOf = (server: Server): number => (server.address() as { readonly port: number }).port;
  /** The kubeconfig of the cluster, with some of its text replaced. */
  const kubeconfigWith = async (from: RegExp, to: string): Promise<string> => {
    const file = join(folder, `kubeconfig-${to.replaceAll(/\W/g, '-')}`);
    await writeFile(file, (await readFile(cluster.kubeconfig, 'utf8')).replace(from, to));
    return file;
  };
  const outcome = async (given: Readonly<Record<string, string>> = {}) => {
    const options = {
      ...{ kubeconfig: cluster.kubeconfig, redis: cluster.redisUrl, port: '0' },
      ...given,
    };
    const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const run = cli.start(['run', '--no-webhooks', ...flags]);
    const code = await run.exited;
    const said = run.stderr();
    // One error, with one instruction.
    expect(said).toMatch(/^error: .*\nnext: .*\n$/);
    return { code, said };
  };

  it('ends with 1 on a busy port', { timeout: within }, async () => {
    const { code, said } = await outcome({ port: String(portOf(silent)) });
    expect(code).toBe(1);
    expect(said).toContain('MR_PORT_IN_USE');
  });

  it('ends with 8 where no Redis listens', { timeout: within }, async () => {
    const [port] = await freePorts(1);
    const { code, said } = await outcome({ redis: `redis://127.0.0.1:${port}` });
    expect(code).toBe(8);
    expect(said).toMatch(/ECONNREFUSED.*\(MR_QUEUE_UNAVAILABLE\)/);
  });

  it('ends with 8 where what listens for Redis never answers', { timeout: within }, async () => {
    const { code, said } = await outcome({ redis: `redis://127.0.0.1:${portOf(silent)}` });
    expect(code).toBe(8);
    expect(said).toContain('MR_QUEUE_UNAVAILABLE');
  });

  it(
    'ends with 8 and the answer of a Redis that refuses the password',
    { timeout: within },
    async () => {
      const url = new URL(cluster.redisUrl);
      url.username = 'nobody';
      url.password = 'wrong';
      const { code, said } = await outcome({ redis: url.href });
      expect(code).toBe(8);
      expect(said).toContain('WRONGPASS');
      expect(said).not.toContain('nobody:wrong');
    },
  );

  it('ends with 8 where no API server listens', { timeout: within }, async () => {
    const [port] = await freePorts(1);
    const kubeconfig = await kubeconfigWith(/server: .*/, `server: https://127.0.0.1:${port}`);
    const { code, said } = await outcome({ kubeconfig });
    expect(code).toBe(8);
    expect(said).toContain('MR_API_UNREACHABLE');
  });

  it('ends with 8 where the API server never answers', { timeout: within }, async () => {
    const server = `server: http://127.0.0.1:${portOf(silent)}`;
    const kubeconfig = await kubeconfigWith(/server: .*/, server);
    const { code, said } = await outcome({ kubeconfig });
    expect(code).toBe(8);
    expect(said).toContain('MR_API_UNREACHABLE');
  });

  it(
    'ends with 5 on a kubeconfig that is not there, and names it',
    { timeout: within },
    async () => {
      const { code, said } = await outcome({ kubeconfig: join(folder, 'absent') });
      expect(code).toBe(5);
      expect(said).toContain(join(folder, 'absent'));
      expect(said).toContain('MR_KUBECONFIG_UNUSABLE');
    },
  );

  it(
    'ends with 5 on a context that the kubeconfig does not have',
    { timeout: within },
    async () => {
      const { code, said } = await outcome({ context: 'elsewhere' });
      expect(code).toBe(5);
      expect(said).toMatch(/elsewhere.*MR_KUBECONFIG_UNUSABLE/);
    },
  );

  it('ends with 1 and every right that the user lacks', { timeout: within }, async () => {
    const { code, said } = await outcome({ kubeconfig: cluster.kubeconfigs['dispatcher'] ?? '' });
    expect(code).toBe(1);
    expect(said).toMatch(
      /list jobflows\.api\.practice\.com.*create jobs\.batch.*MR_RIGHTS_MISSING/,
    );
  });

  it(
    'ends with 1 for a user that may read everything and write nothing',
    { timeout: within },
    async () => {
      // The Role of the bridge, which follows objects and changes none.
      const { code, said } = await outcome({ kubeconfig: cluster.kubeconfigs['bridge'] ?? '' });
      expect(code).toBe(1);
      expect(said).toContain('create jobs.batch');
      expect(said).not.toContain('list jobs.batch');
    },
  );
});
