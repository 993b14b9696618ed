import { expect, it, vi } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';

const finalizer = 'test.millrace.dev/hold';
/** The name is held for this time during a test, in milliseconds. */
const heldMs = 12_000;

describeFlows('a name that a Job of a former flow holds while it is being deleted', (suite) => {
  it.concurrent(
    'lets the independent steps go on, asks rarely, and starts within 10 s of the release (rule 3)',
    async () => {
      const world = await suite.world('held-name');
      await world.apply(flow('again', [step('held', { runFor: untilEnded })]));
      await world.untilStep('again', 'held', 'Running');
      await world.patch('Job', 'again-held', { metadata: { finalizers: [finalizer] } });
      await world.delete('JobFlow', 'again');
      await world.untilJob(
        'again-held',
        'is being deleted',
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      const former = world.job('again-held')?.metadata.uid;

      await world.apply(
        flow('again', [
          step('held'),
          step('free'),
          step('next', { after: ['free'] }),
          step('last', { after: ['held', 'next'] }),
        ]),
      );
      await world.untilStep('again', 'next', 'Succeed');
      const { status } = await world.untilState('again', 'Running');
      expect(status).toMatchObject({ reason: 'NameTerminating' });
      expect(status?.message).toContain(
        `step held: the name is held by Job again-held of another JobFlow again, which is being deleted (finalizers ${finalizer})`,
      );
      await world.throughout(
        heldMs,
        'the step waits',
        () => world.step('again', 'held')?.reason === 'NameTerminating',
      );
      const creates = { verb: 'create', resource: 'jobs', name: 'again-held' };
      const attempts = await world.requests({ ...creates, code: 409 });
      expect(attempts.length).toBeGreaterThanOrEqual(1);
      for (const [index, { receivedAtMs }] of attempts.entries()) {
        const before = attempts[index - 1]?.receivedAtMs ?? -Infinity;
        expect(receivedAtMs - before).toBeGreaterThanOrEqual(5_000);
      }
      const reports = (await world.events()).filter(({ reason }) => reason === 'NameTerminating');
      expect(reports).toHaveLength(1);

      const releasedAtMs = Date.now();
      await world.patch('Job', 'again-held', { metadata: { finalizers: null } });
      const { jobUID } = await world.untilStep('again', 'held', 'Succeed');
      expect(jobUID).not.toBe(former);
      const created = await vi.waitFor(async () => {
        const found = await world.requests({ ...creates, code: 201, sinceMs: releasedAtMs });
        expect(found).toHaveLength(1);
        return found[0]!;
      });
      expect(created.receivedAtMs - releasedAtMs).toBeLessThan(10_000);
      await world.untilState('again', 'Succeed');
    },
  );
});
