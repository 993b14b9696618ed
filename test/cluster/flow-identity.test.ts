import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { heldWork, releasePods } from '#test/support/flows/lingering-pods.ts';
import { flow, step, untilEnded, work } from '#test/support/flow-world.ts';

describeFlows('whose Job it is', (suite) => {
  it.concurrent(
    "blocks the flow that meets another flow's Job name, until that is deleted (scenario 18, rule 3)",
    async () => {
      const world = await suite.world('name-conflict');
      await world.apply(flow('x', [step('y-z', { runFor: untilEnded })]));
      await world.untilStep('x', 'y-z', 'Running');
      await world.apply(flow('x-y', [step('z'), step('after', { after: ['z'] })]));

      const blocked = await world.untilStep('x-y', 'z', 'Blocked');
      expect(blocked.reason).toBe('NameConflict');
      expect(world.job('x-y-z')?.metadata.ownerReferences?.[0]?.uid).toBe(world.uidOf('x'));
      await world.endPod('x-y-z');
      await world.untilState('x', 'Succeed');
      // The success of the other flow does not count.
      expect(world.step('x-y', 'z')?.state).toBe('Blocked');
      expect(world.job('x-y-after')).toBeUndefined();

      await world.delete('JobFlow', 'x');
      await world.untilState('x-y', 'Succeed');
      expect(await world.namesEverCreated()).toEqual(['x-y-z', 'x-y-z', 'x-y-after']);
    },
  );

  it.concurrent(
    "does not take a foreign Complete Job of the child's name for its own (scenario 19, volcano jobflow_controller_action.go)",
    async () => {
      const world = await suite.world('foreign-job');
      await world.api.create(world.namespace, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'mine-first' },
        spec: withRestartPolicy(),
      });
      await world.untilJob('mine-first', 'is Complete', ({ status }) => status?.succeeded === 1);
      await world.apply(flow('mine', [step('first'), step('second', { after: ['first'] })]));

      const blocked = await world.untilStep('mine', 'first', 'Blocked');
      expect(blocked.reason).toBe('NameConflict');
      await world.throughout(3_000, 'the dependant has not started', () => {
        const isBlocked = world.step('mine', 'first')?.state === 'Blocked';
        return isBlocked && world.job('mine-second') === undefined;
      });
      expect(world.job('mine-first')?.metadata.ownerReferences).toBeUndefined();
    },
  );

  it.concurrent(
    'runs every step again when a flow is deleted and created anew at once (scenario 20, volcano#5773)',
    async () => {
      const world = await suite.world('created-anew');
      const manifest = flow('anew', [step('a'), step('b', { after: ['a'], runFor: '300ms' })]);
      await world.apply(manifest);
      await world.until('both steps have Jobs', () => world.job('anew-b'));
      const old = world.uidOf('anew');
      const oldJobs = new Set<string>(world.jobs().map(({ metadata }) => metadata.uid));
      await world.delete('JobFlow', 'anew');
      await world.apply(manifest);
      await world.until(
        'the new flow is there',
        () => (world.flow('anew')?.metadata.uid ?? old) !== old,
      );

      const { status, metadata } = await world.untilState('anew', 'Succeed');
      expect(metadata.uid).not.toBe(old);
      for (const { name, jobUID } of status?.jobStatusList ?? []) {
        expect(oldJobs.has(jobUID ?? '')).toBe(false);
        expect(world.job(`anew-${name}`)?.metadata.uid).toBe(jobUID);
      }
      expect(await world.namesEverCreated()).toEqual(['anew-a', 'anew-b', 'anew-a', 'anew-b']);
    },
  );

  it.concurrent(
    'is not failed by old Pods of the same name that still terminate (volcano#3770)',
    async () => {
      const world = await suite.world('old-pods');
      await world.apply(flow('same', [step('a', heldWork)]));
      await world.until('the held Pod is there', () => world.pods('same-a')[0]);
      const old = world.pods('same-a')[0]!.metadata.uid;
      await world.delete('JobFlow', 'same');
      await world.untilGone('same-a');
      await world.apply(flow('same', [step('a', { runFor: '300ms' })]));
      await world.untilState('same', 'Succeed');
      expect(world.pods('same-a').map(({ metadata }) => metadata.uid)).toContain(old);
      await releasePods(world, 'same-a');
      await world.throughout(
        1_000,
        'the flow stays Succeed',
        () => world.flow('same')?.status?.state === 'Succeed',
      );
    },
  );

  it.concurrent(
    'creates nothing for a flow that is deleted while it advances (volcano#3357)',
    async () => {
      const world = await suite.world('deleted-meanwhile');
      const names = Array.from({ length: 8 }, (_, index) => `racing-${index}`);
      await world.apply(
        ...names.map((name) =>
          flow(name, [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
        ),
      );
      await Promise.all(names.map((name) => world.untilStep(name, 'a', 'Running')));
      const pods = await Promise.all(names.map((name) => world.untilRunning(`${name}-a`)));
      expect(pods).toHaveLength(names.length);
      await Promise.all(
        names.map(async (name, index) => {
          await world.endPod(`${name}-a`);
          // Each time it is deleted at another moment of the same pass.
          await world.throughout(index * 150, 'anything', () => true);
          await world.delete('JobFlow', name);
        }),
      );
      const deletedAtMs = Date.now();
      await world.until(
        'every Job and Pod is gone',
        () => world.jobs().length + world.pods().length === 0,
      );
      await world.throughout(2_000, 'nothing comes back', () => world.jobs().length === 0);
      const late = (await world.jobsEverCreated()).filter(
        ({ receivedAtMs }) => receivedAtMs > deletedAtMs + 1_000,
      );
      expect(late).toEqual([]);
    },
  );

  it.concurrent(
    'takes children and Pods along when it is deleted (scenario 38, rule 6)',
    async () => {
      const world = await suite.world('deleted');
      await world.apply(flow('gone', [step('a', { runFor: untilEnded }), step('b')]));
      await world.untilRunning('gone-a');
      await world.kubectl(['delete', 'jobflow', 'gone']);
      await world.until(
        'no Job and no Pod is left',
        () => world.jobs().length + world.pods().length === 0,
      );
      expect((await world.namesEverCreated()).toSorted()).toEqual(['gone-a', 'gone-b']);
    },
  );

  it.concurrent(
    'leaves children to finish with --cascade=orphan (scenario 38, rule 6)',
    async () => {
      const world = await suite.world('orphan');
      await world.apply(
        flow('left', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
      );
      await world.untilRunning('left-a');
      await world.kubectl(['delete', 'jobflow', 'left', '--cascade=orphan']);
      await world.until('the flow is gone', () => world.flow('left') === undefined);
      await world.untilJob(
        'left-a',
        'has no owner',
        ({ metadata }) => (metadata.ownerReferences ?? []).length === 0,
      );
      await world.endPod('left-a');
      await world.untilJob('left-a', 'is Complete', ({ status }) => status?.succeeded === 1);
      await world.throughout(
        2_000,
        'the child stays, nothing new starts',
        () => world.jobs().length === 1,
      );
    },
  );

  it.concurrent(
    'shows Terminating while a foreground delete waits for its children (rule 6)',
    async () => {
      const world = await suite.world('terminating');
      await world.apply(flow('slow', [step('a', heldWork), step('b', { after: ['a'] })]));
      await world.until('the held Pod is there', () => world.pods('slow-a')[0]);
      await world.delete('JobFlow', 'slow', 'Foreground');
      await world.untilState('slow', 'Terminating');
      await releasePods(world, 'slow-a');
      await world.until('the flow is gone', () => world.flow('slow') === undefined);
      expect(await world.namesEverCreated()).toEqual(['slow-a']);
    },
  );
});

function withRestartPolicy() {
  return work({ pod: { restartPolicy: 'Never' } });
}
