/** Millrace for its own namespace alone, on a node with containers. */
import { beforeAll, expect, it } from 'vitest';
import { auditEntries } from '#test/support/audit-log.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { flowOf } from './manifests.ts';
import { applyOverlay } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

const served = 'millrace';

describeOnRealCluster('the namespaced overlay on a real node', (cluster) => {
  const { ask, kubectl, facts } = cluster;
  const sinceMs = Date.now();
  beforeAll(() => applyOverlay(cluster, 'namespaced'));
  const flow = (name: string, namespace: string) =>
    flowOf(
      name,
      [
        { name: 'a', run: 'true' },
        { name: 'b', dependencies: ['a'], run: 'echo served' },
      ],
      {},
      namespace,
    );
  const apply = (text: string) => ask(['apply', '--server-side', '-o', 'json', '-f', '-'], text);

  it('runs a flow of its namespace, and leaves one of another alone', async () => {
    const foreign = await apply(flow('foreign', 'default'));
    expect(foreign).not.toContain('millrace.dev/submitter');
    expect(await apply(flow('own', served))).toContain('millrace.dev/submitter');
    const done = ['wait', '-n', served, '--for=condition=Complete', kubectlPatience];
    await ask([...done, 'jobflow/own']);
    expect(await ask(['logs', '-n', served, 'job/own-b'])).toBe('served\n');
    expect(await ask(['get', 'jobflow', 'foreign', '-o', 'jsonpath={.status}'])).toBe('');
    expect(await ask(['get', 'jobs', '-n', 'default', '-o', 'name'])).not.toContain('foreign-');
    await ask(['delete', 'jobflow', 'own', '-n', served]);
  });

  it('may not touch what is in another namespace', async () => {
    const may = async (process: string, verb: string, what: string, namespace: string) => {
      const as = `--as=system:serviceaccount:millrace:${process}`;
      return (await kubectl(['auth', 'can-i', verb, what, '-n', namespace, as])).stdout.trim();
    };
    for (const [process, verb, what] of [
      ['flow-advance', 'create', 'jobs'],
      ['daemon-fanout', 'delete', 'jobs'],
      ['suspend-schedule', 'patch', 'jobs'],
      ['bridge', 'list', 'jobflows.api.practice.com'],
    ] as const) {
      expect(await may(process, verb, what, served), `${process} ${verb}`).toBe('yes');
      expect(await may(process, verb, what, 'default'), `${process} ${verb}`).toBe('no');
    }
  });

  it('has asked for nothing that it may not', async () => {
    const user = /^system:serviceaccount:millrace:/;
    const refused = await auditEntries(facts.auditLog, { user, code: 403, sinceMs });
    expect(refused.map(({ requestUri }) => requestUri)).toEqual([]);
    expect(await auditEntries(facts.auditLog, { user, verb: 'list', sinceMs })).not.toEqual([]);
  });
});
