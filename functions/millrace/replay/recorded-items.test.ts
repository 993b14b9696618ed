import { expect, it } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { RecordedEntry } from '#shared/journal/recording.ts';
import { recordedItems } from './recorded-items.ts';

const flow = {
  ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
  ...{ namespace: 'default', name: 'etl', uid: asUid('u') },
};

function changed(id: string): RecordedEntry {
  const event = { ...flow, id: asEventId(id), type: 'dev.millrace.jobflow.changed.v1' };
  return { kind: 'event', position: id, event, atMs: 0 } as unknown as RecordedEntry;
}

function decided(cause: string, outcome: string): RecordedEntry {
  const decision = { function: 'flow-advance', key: flow, cause: asEventId(cause), outcome };
  return { kind: 'decision', position: cause, ...decision } as unknown as RecordedEntry;
}

async function* of(...entries: readonly RecordedEntry[]) {
  for (const entry of entries) yield await Promise.resolve(entry);
}

async function ofFlowAdvance(...entries: readonly RecordedEntry[]) {
  const found = await recordedItems(of(...entries), subscriptions, () => true);
  return found
    .filter(({ item }) => item.function === 'flow-advance')
    .map(({ item, isProcessed }) => [item.key.name, item.cause, isProcessed]);
}

it('an object is one item, under the event that asked for it last', async () => {
  expect(await ofFlowAdvance(changed('u.1'), changed('u.2'))).toEqual([['etl', 'u.2', false]]);
});

it.each([
  ['applied', true],
  ['unchanged', true],
  ['rejected', false],
  ['conflict', false],
  ['MR_API_UNREACHABLE: no answer', false],
])('an item whose decision ended as "%s" is processed: %s', async (outcome, isProcessed) => {
  const entries = [changed('u.1'), decided('u.1', outcome)];
  expect(await ofFlowAdvance(...entries)).toEqual([['etl', 'u.1', isProcessed]]);
});

it('an event since the last decision is not processed', async () => {
  const entries = [changed('u.1'), decided('u.1', 'applied'), changed('u.2')];
  expect(await ofFlowAdvance(...entries)).toEqual([['etl', 'u.2', false]]);
});

it('what an index led to is known by its decision', async () => {
  expect(await ofFlowAdvance(decided('other.1', 'applied'))).toEqual([['etl', 'other.1', true]]);
});

it('an item is chosen with any event that asked for it, and its later decisions give its end', async () => {
  const given = [changed('u.1'), changed('u.2'), decided('u.2', 'applied')];
  const meaning = async (id: string) =>
    (
      await recordedItems(
        of(...given),
        subscriptions,
        (entry) => entry.kind === 'event' && entry.event.id === id,
      )
    )
      .filter(({ item }) => item.function === 'flow-advance')
      .map(({ item, isProcessed }) => [item.cause, isProcessed]);
  expect(await meaning('u.1')).toEqual([['u.2', true]]);
  expect(await meaning('u.3')).toEqual([]);
});
