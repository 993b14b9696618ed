/** The waits of the list that need no node of their own, once more on a real API server. */
import { afterAll, beforeAll, it } from 'vitest';
import { openClient, type ClusterClient } from '#test/support/cluster-client.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { prepare, removeRefusals } from '#test/support/waits/scenarios-of-policies.ts';
import { play } from '#test/support/waits/scenarios.ts';
import { Stage } from '#test/support/waits/stage.ts';
import { waits } from '../../deploy/waits/waits.ts';

/** Longer than the first Pod is waited for, and than a minute of a container. */
const slowMs = 90_000;
/** Other files share the namespace of this one. */
const exempt = 'the namespace of the flow is exempt';

const here = waits.filter(
  ({ of, name, playedIn }) =>
    playedIn === undefined && name !== exempt && ['JobFlow', 'Job held by a policy'].includes(of),
);

describeFlows('what a user sees of a wait', (suite) => {
  let opened: ClusterClient;
  let stage: Stage;
  beforeAll(async () => {
    const { namespace } = await suite.world('waits');
    opened = await openClient(suite.cluster.kubeconfig, 'waits');
    stage = new Stage(opened.client, namespace);
    await prepare(stage);
  });
  afterAll(async () => {
    await removeRefusals(stage);
    await opened[Symbol.asyncDispose]();
  });

  it.concurrent.each(here.map((wait) => [wait.name, wait] as const))(
    '%s',
    { timeout: slowMs },
    async (_, wait) => {
      await play(stage, wait, slowMs - 10_000);
    },
  );
});
