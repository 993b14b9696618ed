import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  auditEntries,
  createdTwice,
  requestsByUserAgent,
  successfulCreates,
} from '#test/support/audit-log.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { describeWithCluster } from '#test/support/require.ts';

describeWithCluster('the audit log', ({ kubectl, kubectlAs, auditLog }) => {
  const namespace = `audit-${randomUUID().slice(0, 8)}`;
  const map = (name: string) => ['create', 'configmap', name, `--namespace=${namespace}`];
  const sinceMs = Date.now();

  beforeAll(async () => {
    await kubectlOrThrow(kubectl, ['create', 'namespace', namespace]);
    await kubectlOrThrow(kubectl, map('once'));
    await kubectlOrThrow(kubectl, [...map('tried'), '--dry-run=server']);
    await kubectl(map('once'));
    const input = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"}}`;
    const apply = ['apply', '--server-side', '-f', '-', `--namespace=${namespace}`];
    await kubectlOrThrow(kubectl, apply, { input });
    await kubectlAs('bridge')(['get', 'configmaps', `--namespace=${namespace}`]);
  });
  afterAll(() => kubectl(['delete', 'namespace', namespace, '--wait=false']));

  it('names the objects that were created, by create and by server-side apply', async () => {
    const creates = await successfulCreates(auditLog, { resource: 'configmaps', namespace });
    const byKubectl = creates.filter(({ user }) => user === 'admin').map(({ name }) => name);
    expect(byKubectl).toEqual(['once', 'applied']);
    expect(createdTwice(creates)).toEqual([]);
  });

  it('distinguishes an object that was deleted and created again', async () => {
    await kubectlOrThrow(kubectl, map('again'));
    await kubectlOrThrow(kubectl, ['delete', 'configmap', 'again', `--namespace=${namespace}`]);
    await kubectlOrThrow(kubectl, map('again'));
    const creates = await successfulCreates(auditLog, { resource: 'configmaps', namespace });
    expect(createdTwice(creates)).toEqual([`${namespace}/again`]);
  });

  it('holds refused requests with their code and user', async () => {
    const refused = await auditEntries(auditLog, { user: 'bridge', namespace, code: 403 });
    expect(refused.map(({ verb, resource }) => [verb, resource])).toEqual([['list', 'configmaps']]);
    const conflicts = await auditEntries(auditLog, { namespace, name: 'once', code: 409 });
    expect(conflicts.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('counts requests by the program that sent them', async () => {
    const counts = requestsByUserAgent(await auditEntries(auditLog, { namespace, sinceMs }));
    const kubectls = [...counts].filter(([client]) => client.startsWith('kubectl/'));
    expect(kubectls).toHaveLength(1);
    expect(kubectls[0]?.[1]).toBeGreaterThanOrEqual(6);
  });

  it('stamps with microseconds, received before answered', async () => {
    const entries = await auditEntries(auditLog, { namespace, sinceMs });
    for (const { receivedAtMs, answeredAtMs } of entries) {
      expect(answeredAtMs).toBeGreaterThan(receivedAtMs);
      expect(receivedAtMs).toBeGreaterThanOrEqual(sinceMs);
    }
    expect(entries.some(({ receivedAtMs }) => !Number.isInteger(receivedAtMs))).toBe(true);
  });

  it('is read up to a line that is still being written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-audit-'));
    try {
      const copy = join(folder, 'audit.log');
      const [first = ''] = (await readFile(auditLog, 'utf8')).split('\n');
      await appendFile(copy, `${first}\n${first.slice(0, 40)}`);
      expect(await auditEntries(copy)).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
