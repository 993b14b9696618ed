import { expect, test } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { journalFormat } from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { translate } from '#functions/bridge/translate.ts';
import { localDesk } from './local-desk.ts';

const flowUid = asUid('flow-uid');
const ofJob = (resourceVersion: string) =>
  translate('cluster', resources.Job, {
    type: 'changed',
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'flow-a',
        namespace: 'default',
        uid: asUid('job-uid'),
        resourceVersion: resourceVersion as never,
        ownerReferences: [
          {
            apiVersion: 'api.practice.com/v1alpha1',
            kind: 'JobFlow',
            name: 'flow',
            uid: flowUid,
            controller: true,
          },
        ],
      },
    },
  });

async function given() {
  const clock = systemClock;
  const journal = createMemoryJournal({ clock });
  const queue = createMemoryQueue({ clock });
  const events = [ofJob('7'), ofJob('9')];
  await journal.append(
    events.map((event) => ({ kind: 'event', format: journalFormat, event, atMs: 1 })),
  );
  return { journal, queue, events, desk: localDesk({ journal, queue, clock }) };
}

/** A function that finds nothing to do. */
async function handleOne(queue: Awaited<ReturnType<typeof given>>['queue']) {
  const lease = await queue.take('flow-advance', new AbortController().signal);
  await lease?.ack();
  return lease?.item;
}

test('the desk lists the recorded events of a flow and of its Jobs, oldest first', async () => {
  const { desk } = await given();
  const { events, decisions } = await desk.recordsOf(flowUid);
  expect(events.map(({ event }) => event.resourceVersion)).toEqual(['7', '9']);
  expect(decisions).toBe(0);
  expect((await desk.recordsOf(asUid('another'))).events).toEqual([]);
});

test('the desk delivers a recorded event again and reports that nothing came of it', async () => {
  const { desk, queue, events, journal } = await given();
  const handled = handleOne(queue);
  const redelivery = await desk.redeliver(events[0]!.id);
  expect(redelivery).toEqual({ isHandled: true, isRecordedAgain: false, effects: 0 });
  expect(await handled).toMatchObject({ cause: events[0]!.id, key: { uid: flowUid } });
  expect(await journal.read(undefined, 10)).toHaveLength(2);
});

test('counts a decision that wrote something because of it', async () => {
  const { desk, queue, events, journal } = await given();
  const handled = (async () => {
    const lease = await queue.take('flow-advance', new AbortController().signal);
    await journal.append([
      {
        kind: 'decision',
        format: journalFormat,
        cause: events[0]!.id,
        function: 'flow-advance',
        version: '0',
        key: lease!.item.key,
        nowMs: 1,
        snapshot: {},
        plan: [[{ of: 'delete Job', delta: { is: { kind: 'delete' } } }]],
        reasons: [],
        outcome: 'applied',
        durationMs: { observe: 0, decide: 0, apply: 0 },
      },
    ]);
    await lease!.ack();
  })();
  expect(await desk.redeliver(events[0]!.id)).toMatchObject({ isHandled: true, effects: 1 });
  await handled;
});

test('an event that is not recorded is not delivered', async () => {
  const { desk, queue } = await given();
  expect(await desk.redeliver('forged.1')).toBeUndefined();
  expect(await queue.depth('flow-advance')).toMatchObject({ waiting: 0 });
});
