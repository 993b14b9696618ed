import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { MillraceError } from '#shared/domain/errors.ts';
import { connect, rereadAfterMs, type Connection } from './connection.ts';
import { loadConnection, type LoadOptions } from './kube-config.ts';

const server = 'https://127.0.0.1:6443';
const run = promisify(execFile);
let folder: string;
let connections: Connection[];

// Reading the large library from a cold disk takes seconds and is not part of these rules.
beforeAll(() => import('@kubernetes/client-node'), 60_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-kube-config-'));
  connections = [];
});

afterEach(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await rm(folder, { recursive: true });
});

interface FileSettings {
  readonly name?: string;
  readonly user?: object;
  readonly cluster?: object;
  readonly namespace?: string;
  readonly currentContext?: string;
}

async function kubeconfig(settings: FileSettings = {}): Promise<string> {
  const { name = 'main', user = {}, cluster = { server }, namespace } = settings;
  const path = join(folder, `${name}.yaml`);
  const context = { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': settings.currentContext ?? name,
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context }],
  };
  await writeFile(path, stringify(config));
  return path;
}

async function load(options: LoadOptions): Promise<Connection> {
  const connection = await loadConnection(options);
  connections.push(connection);
  return connection;
}

async function faultOf(options: LoadOptions): Promise<MillraceError> {
  const fault: unknown = await load(options).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(MillraceError);
  expect((fault as MillraceError).code).toBe('MR_KUBECONFIG_UNUSABLE');
  return fault as MillraceError;
}

/** A credential plugin that returns another token each time it runs. */
async function plugin(): Promise<object> {
  const script = join(folder, 'plugin.mjs');
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from 'node:fs';
    const runs = ${JSON.stringify(join(folder, 'runs'))};
    appendFileSync(runs, '.');
    const status = { token: 'token-' + readFileSync(runs, 'utf8').length };
    console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));`,
  );
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [script],
      interactiveMode: 'Never',
    },
  };
}

describe('a kubeconfig', () => {
  it('gives server, namespace and token of its current context', async () => {
    const user = { token: 'secret' };
    const path = await kubeconfig({ user, namespace: 'team', cluster: { server: `${server}/` } });
    const connection = await load({ kubeconfig: path });
    expect(connection.server).toBe(server);
    expect(connection.namespace).toBe('team');
    expect(await connection.headers()).toEqual({ authorization: 'Bearer secret' });
    expect(connection.describe).toContain(path);
    expect(connection.describe).not.toContain('secret');
  });

  it('is read without the large client library as long as it needs no plugin', async () => {
    const path = await kubeconfig({ user: { token: 'secret' } });
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const module = ${JSON.stringify(join(import.meta.dirname, 'kube-config.ts'))};
      const { loadConnection } = await import(module);
      await (await loadConnection({ kubeconfig: ${JSON.stringify(path)} })).close();
      console.log(loaded.join('\\n'));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toContain('/kubeconfig-file.ts');
    expect(stdout).not.toContain('@kubernetes/client-node');
  });

  it('resolves file names against its own folder and prefers the token file', async () => {
    await writeFile(join(folder, 'token'), 'from-file\n');
    const path = await kubeconfig({ user: { tokenFile: 'token', token: 'inline' } });
    const connection = await load({ kubeconfig: path });
    expect(await connection.headers()).toEqual({ authorization: 'Bearer from-file' });
  });

  it('passes impersonation on, and refuses the kinds of it that it would lose', async () => {
    const user = { token: 't', as: 'jane', 'as-groups': ['dev', 'ops'] };
    const connection = await load({ kubeconfig: await kubeconfig({ user }) });
    expect(await connection.headers()).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-group': ['dev', 'ops'],
    });
    const extra = { ...user, 'as-user-extra': { scopes: ['x'] } };
    expect((await faultOf({ kubeconfig: await kubeconfig({ user: extra }) })).message).toContain(
      'as-user-extra',
    );
  });

  it('runs a credential plugin, once while its answer is valid and anew after a refusal', async () => {
    const path = await kubeconfig({ user: await plugin() });
    const connection = await load({ kubeconfig: path });
    expect(await connection.headers()).toEqual({ authorization: 'Bearer token-1' });
    expect(await connection.headers()).toEqual({ authorization: 'Bearer token-1' });
    expect(await connection.refresh()).toBe(true);
    expect(await connection.headers()).toEqual({ authorization: 'Bearer token-2' });
  });

  it('may be spread over several files, of which the first names the context', async () => {
    const first = await kubeconfig({ name: 'one', user: { token: 'first' } });
    const second = await kubeconfig({ name: 'two', user: { token: 'second' } });
    const both = [first, second].join(delimiter);
    const headers = async (options: LoadOptions) => (await load(options)).headers();
    expect(await headers({ kubeconfig: both })).toEqual({ authorization: 'Bearer first' });
    expect(await headers({ kubeconfig: both, context: 'two' })).toEqual({
      authorization: 'Bearer second',
    });
  });

  it.each([
    ['that does not exist', async () => join(folder, 'nowhere'), 'it does not exist'],
    ['without its context', () => kubeconfig({ currentContext: 'lost' }), 'no context lost'],
    ['without a server', () => kubeconfig({ cluster: {} }), 'no server'],
    [
      'whose token file is missing',
      () => kubeconfig({ user: { tokenFile: 'none' } }),
      '/none does not exist',
    ],
    [
      'that is no kubeconfig',
      async () => {
        await writeFile(join(folder, 'text'), 'just text');
        return join(folder, 'text');
      },
      'the file',
    ],
  ])('%s is named once with its path, and with what is wrong', async (_what, make, detail) => {
    const path = await make();
    const fault = await faultOf({ kubeconfig: path });
    expect(fault.fields['path']).toBe(path);
    expect(fault.message.split(path)).toHaveLength(2);
    expect(fault.fields['detail']).toContain(detail);
  });

  it('that is broken is not quoted, since the line may hold a token', async () => {
    const path = join(folder, 'broken');
    await writeFile(path, 'users: [{name: a, user: {token: secret}');
    const { message, fields } = await faultOf({ kubeconfig: path });
    expect(fields['detail']).toMatch(/ at line 1, column \d+$/);
    expect(message).not.toContain('secret');
  });

  it('whose plugin fails is named too', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: join(folder, 'no-such'),
    };
    const path = await kubeconfig({ user: { exec } });
    expect((await faultOf({ kubeconfig: path })).fields['path']).toBe(path);
  });
});

describe('the service account of a pod', () => {
  it('gives CA, namespace and token, and is named when a file is missing', async () => {
    const inCluster = { host: 'fd00::1', port: '443', folder };
    await writeFile(join(folder, 'namespace'), 'team');
    await writeFile(join(folder, 'ca.crt'), '');
    expect((await faultOf({ inCluster })).fields['path']).toBe(join(folder, 'token'));
    await writeFile(join(folder, 'token'), 'projected\n');
    const connection = await load({ inCluster });
    expect(connection.podNamespace).toBe('team');
    expect(connection.server).toBe('https://[fd00::1]:443');
    expect(connection.namespace).toBe('team');
    expect(await connection.headers()).toEqual({ authorization: 'Bearer projected' });
  });
});

describe('credentials', () => {
  it('are read again after a minute, since tokens are rotated in place', async () => {
    let nowMs = 0;
    let token = 'old';
    const connection = await connect({
      server,
      namespace: 'default',
      describe: 'test',
      nowMs: () => nowMs,
      read: () => Promise.resolve({ tls: {}, headers: { authorization: token } }),
    });
    connections.push(connection);
    token = 'new';
    nowMs = rereadAfterMs - 1;
    expect(await connection.headers()).toEqual({ authorization: 'old' });
    nowMs = rereadAfterMs;
    expect(await connection.headers()).toEqual({ authorization: 'new' });
  });

  it('stay in use when they cannot be read for a moment', async () => {
    let nowMs = 0;
    let isReadable = true;
    const connection = await connect({
      server,
      namespace: 'default',
      describe: 'test',
      nowMs: () => nowMs,
      read: async () => {
        if (!isReadable) throw new Error('file is being replaced');
        return { tls: {}, headers: { authorization: 'known' } };
      },
    });
    connections.push(connection);
    isReadable = false;
    nowMs = 2 * rereadAfterMs;
    expect(await connection.headers()).toEqual({ authorization: 'known' });
  });

  it('keep the pools of connections unless the certificates change', async () => {
    let ca = 'one';
    const read = () => Promise.resolve({ tls: { ca }, headers: {} });
    const settings = { server, namespace: 'default', describe: 'test', read };
    const connection = await connect(settings);
    connections.push(connection);
    const { dispatcher, streams } = connection;
    expect(await connection.refresh()).toBe(false);
    expect([connection.dispatcher, connection.streams]).toEqual([dispatcher, streams]);
    ca = 'two';
    expect(await connection.refresh()).toBe(true);
    expect(connection.dispatcher).not.toBe(dispatcher);
    expect(connection.streams).not.toBe(streams);
  });
});

describe('credentials that are less safe than they look', () => {
  const ca = Buffer.from('a certificate').toString('base64');
  const skipping = { server, 'insecure-skip-tls-verify': true };

  it.each([
    ['by file', {}],
    ['by a plugin', undefined],
  ])('are refused: a CA that would be ignored, as kubectl does (user %s)', async (_, user) => {
    const cluster = { ...skipping, 'certificate-authority-data': ca };
    const path = await kubeconfig({ cluster, user: user ?? (await plugin()) });
    const { message } = await faultOf({ kubeconfig: path });
    expect(message).toContain(path);
    expect(message).toContain('insecure-skip-tls-verify and a certificate-authority exclude');
  });

  it('are taken when only the check is switched off', async () => {
    const connection = await load({ kubeconfig: await kubeconfig({ cluster: skipping }) });
    expect(connection.server).toBe(server);
  });

  it.each(['http://10.0.0.1:8080', 'http://api.example.com', 'http://127.evil.example'])(
    'are refused: a token in clear text to %s',
    async (clear) => {
      for (const user of [{ token: 's3cret' }, { username: 'u', password: 's3cret' }]) {
        const path = await kubeconfig({ cluster: { server: clear }, user });
        const { message } = await faultOf({ kubeconfig: path });
        expect(message).toContain(`not sent in clear text to ${clear}`);
        expect(message).not.toContain('s3cret');
      }
    },
  );

  it.each(['http://127.0.0.1:8080', 'http://127.8.0.1', 'http://[::1]:8080', 'http://localhost'])(
    'stay within the machine: a token to %s',
    async (local) => {
      const path = await kubeconfig({ cluster: { server: local }, user: { token: 't' } });
      const connection = await load({ kubeconfig: path });
      expect(await connection.headers()).toEqual({ authorization: 'Bearer t' });
    },
  );

  it('are no matter where nothing secret is sent', async () => {
    const cluster = { server: 'http://10.0.0.1:8080' };
    const connection = await load({ kubeconfig: await kubeconfig({ cluster }) });
    expect(await connection.headers()).toEqual({});
  });
});
