/** Each wait of the list on a real API server, with the same rows and scenarios as under `millrace up`. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { openClient, type ClusterClient } from '#test/support/cluster-client.ts';
import { describeFlowsWith, type FlowSuite } from '#test/support/flow-suite.ts';
import { Terminal } from '#test/support/terminal.ts';
import { prepare } from '#test/support/waits/scenarios-of-policies.ts';
import { play } from '#test/support/waits/scenarios.ts';
import { Stage } from '#test/support/waits/stage.ts';
import { typeNext } from '#test/support/waits/type-next.ts';
import type { Wait } from '../../deploy/waits/wait.ts';
import { waits } from '../../deploy/waits/waits.ts';

/** Longer than the wait for the first Pod, and than the minute for a container or a deletion. */
const slowMs = 120_000;

const here = waits.filter(({ elsewhere }) => elsewhere === undefined);

describeFlowsWith({}, 'what a user sees of a wait', (suite) => {
  playAll(
    suite,
    here.filter(({ trustsNoUser }) => trustsNoUser !== true),
    prepare,
  );
});

describeFlowsWith({ requiresSubmitters: true }, 'what a user sees without webhooks', (suite) => {
  playAll(
    suite,
    here.filter(({ trustsNoUser }) => trustsNoUser === true),
  );
});

function playAll(
  suite: FlowSuite,
  rows: readonly Wait[],
  prepareStage?: (stage: Stage) => Promise<void>,
): void {
  let opened: ClusterClient;
  let stage: Stage;
  beforeAll(async () => {
    const { namespace } = await suite.world('waits');
    opened = await openClient(suite.cluster.kubeconfig, 'waits');
    const home = await mkdtemp(join(tmpdir(), 'millrace-why-'));
    const terminal = new Terminal({ kubectl: suite.cluster.binaries.kubectl, home });
    terminal.export('KUBECONFIG', suite.cluster.kubeconfig);
    stage = new Stage(opened.client, namespace, async (explanation) => {
      // There is no kubelet to ask for the output of a container.
      if (explanation.next.includes(' logs ')) return;
      await typeNext(terminal, explanation);
    });
    await prepareStage?.(stage);
  });
  afterAll(async () => {
    await stage.cleanUp();
    await opened[Symbol.asyncDispose]();
  });

  it.concurrent.each(rows.map((wait) => [wait.name, wait] as const))(
    '%s',
    { timeout: slowMs },
    async (_, wait) => {
      await play(stage, wait, slowMs - 10_000);
    },
  );
}
