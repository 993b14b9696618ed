import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { ApiRefusal } from '#test/support/flows/cluster-api.ts';
import { flow, type FlowWorld, jobTemplate, step } from '#test/support/flow-world.ts';

/** More steps start at once than are written at the same time. Two more rows of as many follow. */
const atOnce = 100;
const total = 3 * atOnce;

/** A Pod whose one container has an argument of so many bytes. */
function bulky(bytes: number) {
  const container = { name: 'main', image: 'busybox:1.28', args: ['x'.repeat(bytes)] };
  return { pod: { containers: [container] } };
}

/** Bytes that the stored flow leaves free. Too few for any status. */
const leftBytes = 200;
const storedBytes = 1_572_864;

/** The largest flow of one step that the API server stores, to within `leftBytes`. */
async function applyLargest(world: FlowWorld, name: string): Promise<void> {
  for (let bytes = storedBytes; ; bytes -= leftBytes) {
    try {
      await world.api.create(world.namespace, flow(name, [step('a', bulky(bytes))]));
      return;
    } catch (error) {
      const isTooLarge = error instanceof ApiRefusal && error.message.includes('too large');
      if (!isTooLarge) throw error;
    }
  }
}

describeFlows('a flow near what the API server stores of one object', (suite) => {
  it.concurrent(
    'is refused before it starts when the copies of its templates would not fit, and runs without copies',
    async () => {
      const world = await suite.world('large-templates');
      const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
      await world.apply(...names.map((name) => jobTemplate(name, bulky(30_000))));
      await world.apply(
        flow(
          'copies',
          names.map((ref) => step(ref, { ref })),
        ),
      );
      const { status } = await world.untilState('copies', 'Failed');
      expect(status?.reason).toBe('FlowTooLarge');
      expect(status?.message).toContain('templatePolicy: ResolveAtStep');
      expect(world.condition('copies', 'Accepted')).toMatchObject({
        status: 'False',
        reason: 'FlowTooLarge',
      });
      const events = (await world.events()).filter(({ reason }) => reason === 'FlowTooLarge');
      expect(events.length).toBeGreaterThanOrEqual(1);
      expect(await world.namesEverCreated()).toEqual([]);

      await world.patchFlow('copies', { spec: { templatePolicy: 'ResolveAtStep' } });
      await world.untilState('copies', 'Succeed', 90_000);
      expect(await world.namesEverCreated()).toHaveLength(60);
    },
  );

  // By themselves: in a crowd of Jobs a Pod waits for the Job controller.
  it('runs when its spec leaves room for its status', async () => {
    const world = await suite.world('large-spec');
    await world.apply(flow('fits', [step('a', bulky(1_480_000)), step('b', { after: ['a'] })]));
    await world.untilState('fits', 'Succeed');
  });

  it(`of ${total} steps runs, and its status does not grow with what is over`, async () => {
    const world = await suite.world('many-steps');
    const names = Array.from({ length: total }, (_, index) => `s${1000 + index}`);
    const failing = step('stops', { after: names.slice(-1), exitCode: 1 });
    const steps = names.map((name, index) =>
      step(name, index < atOnce ? {} : { after: [names[index - atOnce]!] }),
    );
    await world.apply(flow('many', [...steps, failing, step('tail', { after: ['stops'] })]));
    const { status } = await world.untilState('many', 'Failed', 120_000);
    expect(status?.stepStates).toEqual({
      Succeed: `0-${total - 1}`,
      'Skipped/0/UpstreamFailed': `${total + 1}`,
    });
    expect(status?.jobStatusList).toMatchObject([{ name: 'stops', state: 'Failed' }]);
    expect(status).toMatchObject({ progress: `${total}/${total + 2}`, failed: 1 });
    expect(await world.namesEverCreated()).toHaveLength(total + 1);
  });

  it.concurrent('is refused before it starts when its spec leaves too little', async () => {
    const world = await suite.world('larger-spec');
    await world.api.create(world.namespace, flow('tight', [step('a', bulky(1_560_000))]));
    const { status } = await world.untilState('tight', 'Failed');
    expect(status?.reason).toBe('FlowTooLarge');
    expect(await world.namesEverCreated()).toEqual([]);
  });

  it.concurrent('reports by an Event when not even the refusal fits, and lies still', async () => {
    const world = await suite.world('largest-spec');
    await applyLargest(world, 'full');
    await world.until('the flow is there', () => world.flow('full'));
    // Well within the interval of the sweep, which would look at it again.
    await world.throughout(10_000, 'nothing is written', () => !world.flow('full')?.status);
    const events = (await world.events()).map(({ reason, message }) => [
      reason,
      message?.slice(0, 61),
    ]);
    expect(events).toContainEqual([
      'CannotGoOn',
      'flow-advance cannot go on with it: MR_API_TOO_LARGE: patch /a',
    ]);
    expect(events.filter(([reason]) => reason === 'CannotGoOn')).toHaveLength(1);
    const tried = await world.requests({ verb: 'patch', subresource: 'status', name: 'full' });
    expect(tried.length).toBeGreaterThanOrEqual(1);
    expect(tried.length).toBeLessThanOrEqual(3);
    expect(await world.namesEverCreated()).toEqual([]);
    // An item whose status cannot be written is parked in the end.
    await world.delete('JobFlow', 'full');
  });
});
