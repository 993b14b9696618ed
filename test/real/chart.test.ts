/** The Helm chart of a release on a node with containers. */
import { beforeAll, expect, it } from 'vitest';
import { documented } from '#test/support/documented-commands.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { flowOf, jobSpec, manifest } from './manifests.ts';
import { readyAfter } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

describeOnRealCluster('the Helm chart on a real node', (cluster) => {
  const { ask, helm, millrace, type, typeInRelease } = cluster;
  beforeAll(() =>
    readyAfter(cluster, 'helm install', () =>
      typeInRelease(
        documented('helm install millrace chart/millrace-*.tgz -n millrace --create-namespace'),
      ),
    ),
  );

  it('runs a flow', async () => {
    const steps = [
      { name: 'a', run: 'true' },
      { name: 'b', dependencies: ['a'], run: 'echo by chart' },
    ];
    await ask(['apply', '--server-side', '-f', '-'], flowOf('charted', steps));
    await ask(['wait', '--for=condition=Complete', kubectlPatience, 'jobflow/charted']);
    expect(await ask(['logs', 'job/charted-b'])).toBe('by chart\n');
  });

  it('is left as it is by an upgrade to the same chart out of the checkout', async () => {
    const generations = ['get', 'deployments', '-n', 'millrace', '-o'];
    const columns = 'custom-columns=NAME:.metadata.name,GENERATION:.metadata.generation';
    const before = await ask([...generations, columns]);
    const said = await type(documented('helm upgrade millrace deploy/chart -n millrace'));
    expect(said).toContain('REVISION: 2');
    expect(await ask([...generations, columns])).toBe(before);
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
