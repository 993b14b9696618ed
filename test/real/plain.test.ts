/** Millrace as a user installs it by kustomize, without Knative. */
import { beforeAll } from 'vitest';
import { documented } from '#test/support/documented-commands.ts';
import { describeEverydayUse } from './everyday-use.ts';
import { readyAfter } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

describeOnRealCluster('the plain overlay on a real node', (cluster) => {
  beforeAll(() =>
    readyAfter(cluster, 'kustomize plain', () =>
      cluster.type(documented('kubectl apply --server-side -k deploy/overlays/plain')),
    ),
  );
  describeEverydayUse(cluster);
});
