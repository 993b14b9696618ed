import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { hasCode } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection, type LoadOptions } from '#shared/kube/kube-config.ts';
import { describeWithCluster } from '#test/support/require.ts';

const { Namespace } = resources;
const system = { namespace: '', name: 'kube-system' };

describeWithCluster('a connection', (cluster) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-connection-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function kubeconfig(server: object, user: object): Promise<string> {
    const path = join(folder, 'config.yaml');
    const config = {
      'current-context': 'main',
      clusters: [{ name: 'main', cluster: server }],
      users: [{ name: 'main', user }],
      contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
    };
    await writeFile(path, stringify(config));
    return path;
  }

  async function readThrough(options: LoadOptions): Promise<string | undefined> {
    const connection = await loadConnection(options);
    const client = new HttpKubeClient({ connection, userAgent: 'millrace/test (connection)' });
    try {
      return (await client.get(Namespace, system))?.metadata.name;
    } finally {
      await connection.close();
    }
  }

  it('trusts the CA of the kubeconfig, given as a file or as data, and no other server', async () => {
    const { server, caFile, adminToken: token } = cluster;
    const data = (await readFile(caFile)).toString('base64');
    const asFile = { server, 'certificate-authority': caFile };
    const asData = { server, 'certificate-authority-data': data };
    expect(await readThrough({ kubeconfig: await kubeconfig(asFile, { token }) })).toBe(
      'kube-system',
    );
    expect(await readThrough({ kubeconfig: await kubeconfig(asData, { token }) })).toBe(
      'kube-system',
    );
    const refused = readThrough({ kubeconfig: await kubeconfig({ server }, { token }) });
    await expect(refused).rejects.toSatisfy((error) => hasCode(error, 'MR_API_UNREACHABLE'));
  });

  it('trusts any server only when the kubeconfig says so', async () => {
    const insecure = { server: cluster.server, 'insecure-skip-tls-verify': true };
    const path = await kubeconfig(insecure, { token: cluster.adminToken });
    expect(await readThrough({ kubeconfig: path })).toBe('kube-system');
  });

  it('works from the files of a service account', async () => {
    await writeFile(join(folder, 'ca.crt'), await readFile(cluster.caFile));
    await writeFile(join(folder, 'token'), `${cluster.adminToken}\n`);
    await writeFile(join(folder, 'namespace'), 'default');
    const { hostname: host, port } = new URL(cluster.server);
    expect(await readThrough({ inCluster: { host, port, folder } })).toBe('kube-system');
  });

  it('works through the library when a plugin gives the token', async () => {
    const status = { token: cluster.adminToken };
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status,
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
      interactiveMode: 'Never',
    };
    const server = { server: cluster.server, 'certificate-authority': cluster.caFile };
    expect(await readThrough({ kubeconfig: await kubeconfig(server, { exec }) })).toBe(
      'kube-system',
    );
  });

  it('is refused with the status when the token is not accepted', async () => {
    const server = { server: cluster.server, 'certificate-authority': cluster.caFile };
    const refused = readThrough({ kubeconfig: await kubeconfig(server, { token: 'wrong' }) });
    await expect(refused).rejects.toMatchObject({
      code: 'MR_API_REFUSED',
      fields: { status: 401 },
    });
  });

  it('shows its client certificate', async () => {
    const key = await readFile(join(dirname(cluster.caFile), 'apiserver.key'), 'utf8');
    const cert = await readFile(join(dirname(cluster.caFile), 'apiserver.crt'), 'utf8');
    const shown: string[] = [];
    const options = { key, cert, requestCert: true, rejectUnauthorized: false };
    const server = createServer(options, (request, response) => {
      const { socket } = request;
      if (socket instanceof TLSSocket) shown.push(socket.getPeerCertificate().fingerprint256);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
    const data = (text: string) => Buffer.from(text).toString('base64');
    const user = { 'client-certificate-data': data(cert), 'client-key-data': data(key) };
    expect(await readThrough({ kubeconfig: await kubeconfig(url, user) })).toBeUndefined();
    expect(shown).toEqual([expect.stringMatching(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)]);
    await new Promise((resolve) => server.close(resolve));
  });
});
