/** The Helm chart on a node with containers. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { flowOf, jobSpec, manifest } from './manifests.ts';
import { describeOnRealCluster } from './require.ts';

const chart = join(import.meta.dirname, '../../deploy/chart');

describeOnRealCluster('the Helm chart on a real node', ({ ask, helm, millrace }) => {
  beforeAll(async () => {
    const startMs = Date.now();
    const place = ['millrace', chart, '-n', 'millrace', '--create-namespace'];
    await helm('install', ...place, '--wait', '--timeout', '150s');
    reportProgress(`helm install: ready after ${Math.round((Date.now() - startMs) / 1000)} s`);
  });

  it('runs a flow', async () => {
    const steps = [
      { name: 'a', run: 'true' },
      { name: 'b', dependencies: ['a'], run: 'echo by chart' },
    ];
    await ask(['apply', '--server-side', '-f', '-'], flowOf('charted', steps));
    await ask(['wait', '--for=condition=Complete', '--timeout=90s', 'jobflow/charted']);
    expect(await ask(['logs', 'job/charted-b'])).toBe('by chart\n');
  });

  it('is all that doctor looks for', async () => {
    expect(await millrace('doctor', '--cluster')).not.toMatch(/^FAIL/m);
  });

  it('keeps the kinds and their objects when it is uninstalled', async () => {
    await ask(['delete', 'jobflow', 'charted']);
    const spec = { jobTemplate: jobSpec('true') };
    const precious = manifest('api.practice.com/v1alpha1', 'JobTemplate', 'precious', { spec });
    await ask(['apply', '--server-side', '-f', '-'], precious);
    await helm('uninstall', 'millrace', '-n', 'millrace', '--wait');
    expect(await ask(['get', 'deployments', '-n', 'millrace', '-o', 'name'])).toBe('');
    const left = await ask(['get', 'jobtemplates', '-o', 'name']);
    expect(left).toBe('jobtemplate.api.practice.com/precious\n');
  });
});
