import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createSandbox } from '#sandbox';
import { releaseMemoryWhenQuiet } from './release-memory.ts';

test('what a burst has left behind is collected once it is quiet', async () => {
  const { store, client } = createSandbox({ clock: systemClock, random: Math.random });
  const collected = vi.fn();
  const registry = new FinalizationRegistry<undefined>(collected);
  const end = releaseMemoryWhenQuiet(store);
  const admin = client({ user: 'test', fieldManager: 'test' });
  for (let number = 0; number < 600; number += 1) {
    const metadata = { name: `node-${number}` };
    await admin.create(resources.Node, { apiVersion: 'v1', kind: 'Node', metadata });
  }
  registry.register({}, undefined);
  await sleep(3_500);
  await vi.waitFor(() => expect(collected).toHaveBeenCalled());
  end();
}, 20_000);
