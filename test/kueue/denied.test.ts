/** A flow in a queue of a real Kueue where a foreign webhook denies what follows from Kueue's decisions. */
import { beforeAll, expect, it, vi } from 'vitest';
import { type ReviewedRequest, startDenyingWebhook } from '#test/support/denying-webhook.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, untilWorkload } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';

const work = { pod: { containers: [container('1')] }, runFor: untilEnded };

describeKueue('denied writes of a queued flow', (suite) => {
  const { apply } = suite;
  beforeAll(() => apply([resourceFlavor('default'), clusterQueue('roomy', { default: '8' })]));

  it('whose stop is denied says so by an Event, and stops once it is allowed', async ({
    onTestFinished,
  }) => {
    const world = await suite.world('denied-stop');
    let isDenied = false;
    const webhook = await startDenyingWebhook(suite.cluster, world.namespace, (request) =>
      isDenied && isOfSync(request) ? { code: 403 } : undefined,
    );
    onTestFinished(() => webhook[Symbol.asyncDispose]());
    await apply([localQueue('main', 'roomy')], '-n', world.namespace);
    await world.apply(queued(flow('runs', [step('a', work)])));
    await world.untilRunning('runs-a');
    isDenied = true;
    const { metadata } = await untilWorkload(world, 'runs');
    await world.patch('Workload', metadata.name, { spec: { active: false } });
    await vi.waitFor(
      async () => {
        const reports = (await world.events()).filter(
          ({ involvedObject, reason }) => involvedObject?.name === 'runs' && reason === 'Forbidden',
        );
        expect(reports.map(({ message = '' }) => message).join('\n')).toContain(
          'denied the request',
        );
      },
      { timeout: 30_000, interval: 500 },
    );
    isDenied = false;
    await world.untilState('runs', 'Suspended');
  });
});

function isOfSync({ userInfo, resource, subResource }: ReviewedRequest): boolean {
  const isFlow = resource.resource === 'jobflows' && subResource === undefined;
  return isFlow && userInfo.username === 'kueue-workload-sync';
}
