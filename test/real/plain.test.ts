/** Millrace as a user installs it from the files of a release, without Knative, and then by kustomize. */
import { beforeAll, expect, it } from 'vitest';
import { documented } from '#test/support/documented-commands.ts';
import { describeEverydayUse } from './everyday-use.ts';
import { readyAfter } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

describeOnRealCluster('a release on a real node', (cluster) => {
  beforeAll(() =>
    readyAfter(cluster, 'install.yaml of a release', () =>
      cluster.typeInRelease(documented('kubectl apply --server-side -f install.yaml')),
    ),
  );
  describeEverydayUse(cluster);

  it('is what kustomize makes of the archive of the release and of the checkout', async () => {
    const generations = (): Promise<string> =>
      cluster.ask([
        'get',
        'deployments',
        '-n',
        'millrace',
        '-o',
        'jsonpath={.items[*].metadata.generation}',
      ]);
    const before = await generations();
    await cluster.typeInRelease(documented('tar xzf kustomize.tar.gz'));
    await cluster.typeInRelease(
      documented('kubectl apply --server-side -k millrace/deploy/overlays/plain'),
    );
    await cluster.type(documented('kubectl apply --server-side -k deploy/overlays/plain'));
    expect(await generations()).toBe(before);
  });
});
