import { functions, kinds } from '#functions/list.ts';
import { createSandbox } from '#sandbox';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { expect, it } from 'vitest';
import { describeRoster, type Place } from './describe-roster.ts';
import { apart, inProcess } from './serve.ts';

async function openSandbox(): Promise<Place> {
  const sandbox = createSandbox({ clock: systemClock, random: Math.random });
  const client = sandbox.client({ user: 'test', fieldManager: 'test' });
  for (const kind of kinds) {
    const definition = customResourceDefinition(kind) as unknown as NewObject;
    await client.create(resources.CustomResourceDefinition, definition);
  }
  return {
    client,
    namespace: 'default',
    queue: createMemoryQueue({ clock: systemClock }),
    journal: createMemoryJournal({ clock: systemClock }),
    close: () => Promise.resolve(),
  };
}

describeRoster('a function over a kind of its own, in one process', inProcess, openSandbox);
describeRoster('a function over a kind of its own, apart', apart, openSandbox);

it('has names of its own', () => {
  const names = functions.map(({ subscription }) => subscription.name);
  expect(new Set(names).size).toBe(names.length);
});
