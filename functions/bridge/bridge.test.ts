import { Registry } from 'prom-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import type { KubeClient, WatchEvent } from '#shared/kube/client.ts';
import { systemClock } from '#shared/runtime/system-clock.ts';
import { createBridge } from './bridge.ts';
import { flow } from './testing/objects.ts';
import { stores } from './testing/stores.ts';

/** An API server with one flow, which tells watchers what the test says. */
function server(stored: KubeObject) {
  const lines: WatchEvent[] = [];
  async function* watch(isMeant: boolean, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    while (!signal.aborted) {
      const line = isMeant ? lines.shift() : undefined;
      if (line === undefined) await systemClock.sleep(5, signal);
      else yield line;
    }
  }
  const client = {
    list: async ({ kind }) => ({
      resourceVersion: asResourceVersion('9'),
      items: kind === 'JobFlow' ? [stored] : [],
    }),
    watch: ({ kind }, { signal }) => watch(kind === 'JobFlow', signal),
  } satisfies Pick<KubeClient, 'list' | 'watch'> as unknown as KubeClient;
  return { client, tell: (line: WatchEvent) => void lines.push(line) };
}

function bridgeOf(stored: KubeObject) {
  const taken = stores();
  const { client, tell } = server(stored);
  const stop = new AbortController();
  let onChange: (leading: boolean) => void = () => undefined;
  const bridge = createBridge({
    ...taken,
    client,
    clusterUid: 'cluster-1',
    logger: { info: () => undefined, warn: () => undefined, debug: () => undefined },
    metrics: new Registry(),
    clock: systemClock,
    random: Math.random,
    leadership: {
      run: (signal, change) => {
        onChange = change;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    times: { epochMs: 10 },
  });
  const ended = bridge.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return { bridge, tell, lead: (leading: boolean) => onChange(leading), ...taken };
}

const stored = flow({ name: 'etl', status: { state: 'Running', observedGeneration: 1 } });
const later = { ...stored, metadata: { ...stored.metadata, generation: 2 } };
const at = (version: string): KubeObject => ({
  ...later,
  metadata: { ...later.metadata, resourceVersion: asResourceVersion(version) },
});

it('keeps its views and publishes nothing while another one leads', async () => {
  const { bridge, tell, added, recorded } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  tell({ type: 'MODIFIED', object: at('12') });
  await vi.waitFor(() =>
    expect(bridge.views.JobFlow.get('default', 'etl')?.metadata.resourceVersion).toBe('12'),
  );
  expect(added).toEqual([]);
  expect(await recorded()).toEqual([]);
});

it('publishes what it missed when it takes over, and nothing more when it has lost the lease', async () => {
  const { bridge, tell, lead, added } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  lead(true);
  await vi.waitFor(() => expect(added.map(({ key }) => key.name)).toEqual(['etl']));
  lead(false);
  tell({ type: 'MODIFIED', object: at('12') });
  await vi.waitFor(() =>
    expect(bridge.views.JobFlow.get('default', 'etl')?.metadata.resourceVersion).toBe('12'),
  );
  expect(added).toHaveLength(1);
});
