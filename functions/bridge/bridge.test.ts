import { subscriptions } from '#functions/list.ts';
import { resources } from '#shared/domain/resources.ts';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import type { KubeClient, WatchEvent } from '#shared/kube/client.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { type BridgeOptions, createBridge } from './bridge.ts';
import { collectGarbage } from '#shared/domain/testing/collect-garbage.ts';
import { flow, job } from '#shared/domain/testing/objects.ts';
import { stores } from './testing/stores.ts';

const services: Resource = {
  ...{ group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true },
};

/** An API server with one flow. The test decides what its watches send. */
function server(stored: KubeObject) {
  const lines: WatchEvent[] = [];
  const policyLines: WatchEvent[] = [];
  const linesOf = (kind: string) =>
    kind === 'JobFlow' ? lines : kind === 'SuspendPolicy' ? policyLines : [];
  const state = {
    /** Kinds whose lists fail with this code. */
    refused: new Map<string, 'MR_API_NOT_FOUND' | 'MR_API_RETRYABLE'>(),
    ...{ version: 9, risesBy: 0, others: 9, flows: [stored], cluster: 'cluster-1' },
    podsAnswer: Promise.resolve(),
    jobsAnswer: Promise.resolve(),
    jobs: [] as KubeObject[],
    workloads: [] as KubeObject[],
    wrappers: [] as KubeObject[],
    sendPolicy: (line: WatchEvent) => void policyLines.push(line),
  };
  const asked: string[] = [];
  const lists: { kind: string; labelSelector: string | undefined }[] = [];
  async function* watch(meant: WatchEvent[], signal: AbortSignal): AsyncGenerator<WatchEvent> {
    while (!signal.aborted) {
      const line = meant.shift();
      if (line === undefined) await systemClock.sleep(5, signal);
      else yield line;
    }
  }
  const client = {
    get: async () => ({ metadata: { uid: state.cluster } }) as unknown as KubeObject,
    discover: async () => [services],
    list: async ({ kind }, { namespace = 'everywhere', labelSelector }) => {
      asked.push(`${kind} ${namespace}`);
      lists.push({ kind, labelSelector });
      const code = state.refused.get(kind);
      if (code !== undefined)
        throw new MillraceError(code, { verb: 'list', path: kind, detail: '' });
      if (kind === 'Pod') await state.podsAnswer;
      if (kind === 'Job') await state.jobsAnswer;
      if (kind !== 'JobFlow') {
        const listed: Readonly<Record<string, readonly KubeObject[]>> = {
          ...{ Job: state.jobs, Workload: state.workloads, AppWrapper: state.wrappers },
        };
        const resourceVersion = asResourceVersion(String(state.others));
        return { resourceVersion, items: listed[kind] ?? [] };
      }
      state.version += state.risesBy;
      return { resourceVersion: asResourceVersion(String(state.version)), items: state.flows };
    },
    watch: ({ kind }, { signal }) => watch(linesOf(kind), signal),
  } satisfies Pick<KubeClient, 'discover' | 'get' | 'list' | 'watch'> as unknown as KubeClient;
  const selectors = (kind: string) =>
    lists.filter((list) => list.kind === kind).map(({ labelSelector }) => labelSelector);
  return { client, state, asked, selectors, send: (line: WatchEvent) => void lines.push(line) };
}

function bridgeOf(
  stored: KubeObject,
  times: BridgeOptions['times'] = {},
  {
    namespace,
    podsAnswer,
  }: { readonly namespace?: string; readonly podsAnswer?: Promise<void> } = {},
) {
  const taken = stores();
  const { client, send, state, asked, selectors } = server(stored);
  if (podsAnswer !== undefined) state.podsAnswer = podsAnswer;
  const metrics = new Registry();
  const warned: object[] = [];
  const logged: { readonly message: string }[] = [];
  const stop = new AbortController();
  let onChange: (leading: boolean) => void = () => undefined;
  const bridge = createBridge({
    subscriptions,
    ...taken,
    client,
    clusterUid: 'cluster-1',
    logger: {
      info: (fields: object, message: string) => void logged.push({ ...fields, message }),
      warn: (fields: object, message: string) => void warned.push({ ...fields, message }),
      debug: () => undefined,
    } as unknown as BridgeOptions['logger'],
    metrics,
    clock: systemClock,
    random: Math.random,
    leadership: {
      run: (signal, change) => {
        onChange = change;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    times: { epochMs: 10, ...times },
    ...(namespace === undefined ? {} : { namespace }),
  });
  const ended = bridge.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await Promise.allSettled([ended]);
  });
  return {
    bridge,
    ended,
    state,
    asked,
    selectors,
    metrics,
    warned,
    logged,
    send,
    lead: (leading: boolean) => onChange(leading),
    ...taken,
  };
}

const stored = flow({ name: 'etl', status: { state: 'Running', observedGeneration: 1 } });
const later = { ...stored, metadata: { ...stored.metadata, generation: 2 } };
const at = (version: string): KubeObject => ({
  ...later,
  metadata: { ...later.metadata, resourceVersion: asResourceVersion(version) },
});

it('keeps its views and publishes nothing while another one leads', async () => {
  const { bridge, send, added, recorded } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  send({ type: 'MODIFIED', object: at('12') });
  await vi.waitFor(() =>
    expect(
      bridge.views.of(resources.JobFlow)?.get('default', 'etl')?.metadata.resourceVersion,
    ).toBe('12'),
  );
  expect(added).toEqual([]);
  expect(await recorded()).toEqual([]);
});

it('is not ready before the last kind is listed, and says so', async () => {
  const pods = Promise.withResolvers<undefined>();
  const { bridge } = bridgeOf(stored, {}, { podsAnswer: pods.promise });
  await vi.waitFor(() => expect(bridge.views.of(resources.JobFlow)?.synced).toBe(true));
  expect(bridge.synced).toBe(false);
  expect(bridge.notReady()).toBe('the first list is not complete yet');
  pods.resolve(undefined);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  expect(bridge.notReady()).toBeUndefined();
});

it.each([
  ['everywhere', undefined],
  ['team', 'team'],
])('looks %s', async (where, namespace) => {
  const options = namespace === undefined ? {} : { namespace };
  const { bridge, asked } = bridgeOf(stored, {}, options);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  const lists = asked.map((list) => list.split(' '));
  const ofCluster: ReadonlySet<string | undefined> = new Set(
    Object.values(resources)
      .filter(({ namespaced }) => !namespaced)
      .map(({ kind }) => kind),
  );
  const placesOf = (isOfCluster: boolean) =>
    new Set(
      lists.filter(([kind]) => ofCluster.has(kind) === isOfCluster).map(([, place]) => place),
    );
  expect(placesOf(false)).toEqual(new Set([where]));
  expect(placesOf(true)).toEqual(new Set(['everywhere']));
});

const firstPolicy: WatchEvent = {
  type: 'ADDED',
  object: {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: 'SuspendPolicy',
    metadata: {
      ...{ name: 'nights', namespace: 'default', uid: asUid('p') },
      resourceVersion: asResourceVersion('10'),
    },
    spec: {},
  },
};

it('follows Jobs of others from the first suspend policy on', async () => {
  const { bridge, state, selectors } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  expect(selectors('Job')).toEqual(['millrace.dev/owner-uid']);
  expect(bridge.views.scopeOf(resources.Job).isComplete).toBe(false);
  state.sendPolicy(firstPolicy);
  await vi.waitFor(() => expect(bridge.views.scopeOf(resources.Job).isComplete).toBe(true));
  expect(selectors('Job')).toEqual(['millrace.dev/owner-uid', undefined]);
  expect(bridge.synced).toBe(true);
});

it('follows them also when the policy comes while the first list of Jobs is being published, and memory is collected', async () => {
  const { bridge, state, selectors, lead, outage } = bridgeOf(stored);
  const jobs = Promise.withResolvers<undefined>();
  const journal = Promise.withResolvers<undefined>();
  state.jobsAnswer = jobs.promise;
  state.jobs = [job()];
  await vi.waitFor(() => expect(selectors('Job')).toHaveLength(1));
  lead(true);
  outage.answered = journal.promise;
  jobs.resolve(undefined);
  await vi.waitFor(() => expect(bridge.views.of(resources.Job)?.size).toBe(1));
  state.sendPolicy(firstPolicy);
  const scope = bridge.views.scopeOf(resources.Job);
  await vi.waitFor(() => expect(scope.labelSelector).toBeUndefined());
  await collectGarbage();
  journal.resolve(undefined);
  await vi.waitFor(() => expect(scope.isComplete).toBe(true));
  expect(selectors('Job')).toEqual(['millrace.dev/owner-uid', undefined]);
});

describe('queues of Kueue, which need not be installed', () => {
  const policy = (version: string, kinds: readonly string[]): WatchEvent => ({
    type: version === '10' ? 'ADDED' : 'MODIFIED',
    object: {
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'SuspendPolicy',
      metadata: {
        ...{ name: 'nights', namespace: 'default', uid: asUid('p') },
        resourceVersion: asResourceVersion(version),
      },
      spec: { kinds },
    },
  });
  const times = { reconnect: { initialMs: 5, factor: 1, capMs: 5 } };
  const isAsked = (asked: readonly string[]) => asked.includes('LocalQueue everywhere');

  it('are not asked for before a policy names them, and nothing waits for them', async () => {
    const { bridge, asked, state } = bridgeOf(stored, times);
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    state.sendPolicy(policy('10', ['Job']));
    const policies = bridge.views.followed(resources.SuspendPolicy);
    await vi.waitFor(() => expect(policies.size).toBe(1));
    expect(isAsked(asked)).toBe(false);
    expect(bridge.stats).not.toHaveProperty('LocalQueue');
    expect(bridge.notReady()).toBeUndefined();
  });

  it('are followed once one names them', async () => {
    const { bridge, state } = bridgeOf(stored, times);
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    state.sendPolicy(policy('10', ['Job']));
    state.sendPolicy(policy('11', ['LocalQueue']));
    const queues = bridge.views.followed(resources.LocalQueue);
    await vi.waitFor(() => expect(queues.synced).toBe(true));
    expect(bridge.stats).toHaveProperty('LocalQueue');
  });

  it('are asked for until they are served, and that they are not is no failure', async () => {
    const { bridge, state, asked, warned, logged } = bridgeOf(stored, times);
    state.refused.set('LocalQueue', 'MR_API_NOT_FOUND');
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    state.sendPolicy(policy('10', ['LocalQueue']));
    const tries = () => asked.filter((each) => each === 'LocalQueue everywhere').length;
    await vi.waitFor(() => expect(tries()).toBeGreaterThan(2));
    expect(warned).toEqual([]);
    const unserved = logged.filter(({ message }) => message === 'not served by the API server yet');
    expect(unserved).toEqual([expect.objectContaining({ kind: 'LocalQueue' })]);
    expect(bridge.stats).not.toHaveProperty('LocalQueue');
    expect(bridge.notReady()).toBeUndefined();
    state.refused.clear();
    const queues = bridge.views.followed(resources.LocalQueue);
    await vi.waitFor(() => expect(queues.synced).toBe(true));
    expect(bridge.stats).toHaveProperty('LocalQueue');
  });

  it('are reported like any other kind when they are served and cannot be listed', async () => {
    const { bridge, state, warned, logged } = bridgeOf(stored, times);
    state.refused.set('LocalQueue', 'MR_API_RETRYABLE');
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    state.sendPolicy(policy('10', ['LocalQueue']));
    const failure = { kind: 'LocalQueue', message: 'reflector tries again' };
    await vi.waitFor(() => expect(warned).toContainEqual(expect.objectContaining(failure)));
    expect(logged.map(({ message }) => message)).not.toContain('not served by the API server yet');
    // Only the first, second, fourth ... failure in a row is logged.
    const failures = () => warned.map((fields) => (fields as { failures?: number }).failures);
    await vi.waitFor(() => expect(failures().length).toBeGreaterThanOrEqual(4));
    expect(failures().slice(0, 4)).toEqual([1, 2, 4, 8]);
  });
});

describe('Workloads of Kueue, which need not be installed', () => {
  const workloads = (bridge: ReturnType<typeof bridgeOf>['bridge']) =>
    bridge.views.followed(resources.Workload);

  it('are not followed where no flow waits in a queue, after one look for what is left of former ones', async () => {
    const { bridge, selectors } = bridgeOf(stored);
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    await vi.waitFor(() => expect(selectors('Workload')).toEqual(['millrace.dev/owner-uid']));
    expect(workloads(bridge).synced).toBe(false);
  });

  it('are followed where one was left behind whose flow is gone', async () => {
    const left = {
      ...job({ name: 'left' }),
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'Workload',
    };
    const { bridge, state } = bridgeOf(stored);
    state.workloads.push(left);
    await vi.waitFor(() => expect(workloads(bridge).size).toBe(1));
  });

  it('are not followed where Kueue is not installed, and that is no failure', async () => {
    const { bridge, state, warned, selectors } = bridgeOf(stored);
    state.refused.set('Workload', 'MR_API_NOT_FOUND');
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    await vi.waitFor(() => expect(selectors('Workload')).toHaveLength(1));
    expect(bridge.stats).not.toHaveProperty('Workload');
    expect(warned).toEqual([]);
  });
});

it('the bridge reports whether it leads', async () => {
  const { bridge, lead, logged } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  expect(bridge.leading).toBe(false);
  lead(true);
  expect(bridge.leading).toBe(true);
  lead(false);
  // When the lease is lost, the work under it ends.
  lead(false);
  expect(bridge.leading).toBe(false);
  const changes = logged.filter(({ message }) => message === 'leadership changed');
  expect(changes).toMatchObject([{ leading: true }, { leading: false }]);
});

it('does no work on what changes while it stands by, but to know it', async () => {
  const { bridge, send, metrics } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  send({ type: 'MODIFIED', object: at('12') });
  const known = () => bridge.views.of(resources.JobFlow)?.get('default', 'etl');
  await vi.waitFor(() => expect(known()?.metadata.resourceVersion).toBe('12'));
  expect(await metrics.metrics()).not.toContain('millrace_bridge_events_filtered_total{');
});

it('publishes what it missed when it takes over, and nothing more when it has lost the lease', async () => {
  const { bridge, send, lead, added, metrics } = bridgeOf(stored);
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  const leads = async (value: number) =>
    expect(await metrics.metrics()).toMatch(new RegExp(`^millrace_bridge_leading ${value}$`, 'm'));
  await leads(0);
  lead(true);
  await vi.waitFor(() => expect(added.map(({ key }) => key.name)).toEqual(['etl']));
  await leads(1);
  lead(false);
  await leads(0);
  send({ type: 'MODIFIED', object: at('12') });
  await vi.waitFor(() =>
    expect(
      bridge.views.of(resources.JobFlow)?.get('default', 'etl')?.metadata.resourceVersion,
    ).toBe('12'),
  );
  expect(added).toHaveLength(1);
});

it('knows nothing of what others published while it stood by: the way back is a change too', async () => {
  const { bridge, send, lead, added } = bridgeOf(stored);
  const seen = (version: string) =>
    vi.waitFor(() =>
      expect(
        bridge.views.of(resources.JobFlow)?.get('default', 'etl')?.metadata.resourceVersion,
      ).toBe(version),
    );
  await vi.waitFor(() => expect(bridge.synced).toBe(true));
  const annotated = (version: string, retry: string): KubeObject => ({
    ...at(version),
    metadata: { ...at(version).metadata, annotations: { 'millrace.dev/retry': retry } },
  });
  lead(true);
  await vi.waitFor(() => expect(added).toHaveLength(1));
  send({ type: 'MODIFIED', object: annotated('12', 'a') });
  await vi.waitFor(() => expect(added).toHaveLength(2));
  lead(false);
  send({ type: 'MODIFIED', object: annotated('13', 'b') });
  await seen('13');
  lead(true);
  await vi.waitFor(() => expect(added).toHaveLength(3));
  send({ type: 'MODIFIED', object: annotated('14', 'a') });
  await vi.waitFor(() => expect(added).toHaveLength(4));
  expect(added.at(-1)?.cause).toBe('uid-of-etl.14');
});

it.each(['queue', 'journal'] as const)(
  'takes over in the end although the %s failed when it published what it had missed',
  async (store) => {
    const { bridge, lead, added, outage, recorded } = bridgeOf(stored);
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    outage[store] = true;
    lead(true);
    await systemClock.sleep(50);
    expect(added).toEqual([]);
    outage[store] = false;
    await vi.waitFor(() => expect(added.map(({ key }) => key.name)).toEqual(['etl']));
    expect(await recorded()).toContain('uid-of-etl.5');
  },
);

describe('a cluster whose versions went back', () => {
  const times: NonNullable<BridgeOptions['times']> = {
    relistMs: 30,
    silenceMs: 300,
    sweepMs: 60_000,
    reconnect: { initialMs: 5, factor: 1, capMs: 5 },
    history: { refusals: 5, risingMs: 100, standingMs: 60_000 },
  };
  const other = flow({ name: 'of-the-backup', uid: 'other', version: '3' });
  const steady = flow({ name: 'steady', status: { state: 'Running', observedGeneration: 1 } });

  /** A bridge that knows `etl` at version 1000. Then etcd is restored to version 10. */
  async function restored(...wrappers: readonly KubeObject[]) {
    const over = bridgeOf(stored, times);
    const { bridge, lead, state, added } = over;
    state.wrappers.push(...wrappers);
    await vi.waitFor(() => expect(bridge.synced).toBe(true));
    lead(true);
    await vi.waitFor(() => expect(added).toHaveLength(1 + wrappers.length));
    const isFollowed = () => bridge.views.of(services)?.synced === true;
    await vi.waitFor(() => expect(isFollowed()).toBe(wrappers.length > 0));
    Object.assign(state, { version: 1_000, others: 1_000, flows: [at('1000'), steady] });
    const causes = () => added.map(({ cause }) => cause as string);
    await vi.waitFor(() => expect(causes()).toContain('uid-of-etl.1000'));
    await vi.waitFor(() => expect(causes()).toContain('uid-of-steady.5'));
    await vi.waitFor(() => {
      for (const { version } of Object.values(bridge.stats)) expect(version).toBe('1000');
    });
    // The lists of the other kinds do not change, so only the report of the flows makes them count.
    Object.assign(state, { version: 10, others: 10, risesBy: 1, flows: [stored, other, steady] });
    return over;
  }

  it('makes the bridge unready with the reason, until it has started over', async () => {
    const { bridge } = await restored();
    await vi.waitFor(() =>
      expect(bridge.notReady()).toMatch(
        /^lists are refused because they are older.*JobFlow \(version \d+ after 1000, \d+ in a row\)/,
      ),
    );
    await vi.waitFor(() => expect(bridge.notReady()).toBeUndefined());
  });

  it('is published again as a whole, even objects that look unchanged', async () => {
    const { bridge, added, metrics, warned, recorded } = await restored();
    await vi.waitFor(() => expect(bridge.stats['JobFlow']!.startedOver).toBe(1));
    await vi.waitFor(() => expect(added.map(({ cause }) => cause)).toContain('other.3'));
    expect(added.map(({ cause }) => cause)).toContain('uid-of-etl.5');
    expect(added.filter(({ cause }) => cause === 'uid-of-steady.5')).toHaveLength(2);
    expect(await recorded()).toContain('uid-of-etl.5');
    expect(
      bridge.views.of(resources.JobFlow)?.get('default', 'etl')?.metadata.resourceVersion,
    ).toBe('5');
    expect(warned).toContainEqual(
      expect.objectContaining({
        message: 'the cluster was taken back',
        because: 'older-lists',
        known: '1000',
        next: expect.stringContaining('restored') as string,
      }),
    );
    expect(await metrics.metrics()).toContain(
      'millrace_reflector_started_over_total{kind="JobFlow"} 1',
    );
  });

  it('is believed by every kind when one of them has started over', async () => {
    const { bridge, warned } = await restored();
    const kinds = Object.keys(bridge.stats);
    await vi.waitFor(() => {
      for (const { startedOver } of Object.values(bridge.stats)) expect(startedOver).toBe(1);
    });
    const startedOver = warned.filter(
      (line) => 'because' in line && line.because === 'other-resource',
    );
    expect(kinds.length).toBeGreaterThan(2);
    expect(startedOver).toHaveLength(kinds.length - 1);
  });

  it('is believed by kinds that objects name, too', async () => {
    const template = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } };
    const { metadata } = flow({ name: 'wraps', uid: 'uid-of-wrapper' });
    const { warned } = await restored({
      ...{ apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper', metadata },
      spec: { components: [{ template }] },
      status: { phase: 'Running', conditions: [{ type: 'ResourcesDeployed', status: 'True' }] },
    });
    await vi.waitFor(() =>
      expect(warned).toContainEqual(
        expect.objectContaining({ kind: 'Service', because: 'other-resource' }),
      ),
    );
  });

  it('ends the bridge when it is another cluster: its ids and keys belong to the former one', async () => {
    const { ended, state, added } = await restored();
    state.cluster = 'cluster-2';
    await expect(ended).rejects.toMatchObject({
      code: 'MR_CLUSTER_CHANGED',
      fields: { found: 'cluster-2', expected: 'cluster-1' },
    });
    expect(added.map(({ cause }) => cause)).not.toContain('other.3');
  });
});
