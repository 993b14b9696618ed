/** The sandbox's stand-in for Kueue against the real one: the same script gives the same texts in Workloads. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { type Kubectl, kubectlOrThrow, kubectlWith } from '#test/support/control-plane/kubectl.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { type ListeningSandbox, startListeningSandbox } from '#test/support/listening-sandbox.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The compared texts. They have no uids, which differ. */
type Reported = Readonly<Record<string, string>>;

class Place {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;

  constructor(kubectl: Kubectl, namespace: string) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
  }

  async apply(...items: readonly object[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await this.run(['apply', '--server-side', '-f', '-'], input);
  }

  run(args: readonly string[], input = ''): Promise<string> {
    return kubectlOrThrow(this.#kubectl, ['-n', this.#namespace, ...args], { input });
  }

  /** The API server's refusal. */
  async refusal(args: readonly string[]): Promise<string> {
    const { code, stderr } = await this.#kubectl(['-n', this.#namespace, ...args]);
    expect(code).not.toBe(0);
    return stderr;
  }

  patch(what: string, body: object): Promise<string> {
    return this.run(['patch', ...what.split(' '), '--type=merge', '-p', JSON.stringify(body)]);
  }

  patchStatus(name: string, status: object): Promise<string> {
    const body = JSON.stringify({ status });
    return this.run([
      'patch',
      'workload',
      name,
      '--subresource=status',
      '--type=merge',
      '-p',
      body,
    ]);
  }

  async status(name: string): Promise<JsonObject> {
    const object = JSON.parse(await this.run(['get', 'workload', name, '-o', 'json'])) as {
      readonly status?: JsonObject;
    };
    return object.status ?? {};
  }

  async conditions(name: string): Promise<readonly Condition[]> {
    const { conditions = [] } = await this.status(name);
    return conditions as unknown as readonly Condition[];
  }

  async reported(name: string): Promise<Reported> {
    const conditions = await this.conditions(name);
    return Object.fromEntries(
      conditions.map(({ type, status, reason, message }) => [
        type,
        `${status}/${reason}: ${message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')}`,
      ]),
    );
  }

  async finish(name: string): Promise<void> {
    await this.#with(name, [condition('Finished', 'True', 'Succeeded', 'done')]);
  }

  /** Completes an eviction, as a job's controller does when no Pod is running any more. */
  async giveWay(name: string, isRequeued: boolean): Promise<void> {
    const { reason = '', message = '' } =
      (await this.conditions(name)).find(({ type }) => type === 'Evicted') ?? {};
    const changes = [
      condition('Requeued', isRequeued ? 'True' : 'False', reason, message),
      condition('QuotaReserved', 'False', 'Pending', message),
      condition('Admitted', 'False', 'NoReservation', 'The workload has no reservation'),
    ];
    await this.#with(name, changes, { admission: null });
  }

  async #with(name: string, changes: readonly Condition[], more: object = {}): Promise<void> {
    const types = new Set(changes.map(({ type }) => type));
    const kept = (await this.conditions(name)).filter(({ type }) => !types.has(type));
    await this.patchStatus(name, { ...more, conditions: [...kept, ...changes] });
  }
}

function condition(type: string, status: string, reason: string, message: string): Condition {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
  return { ...{ type, status, reason, message }, ...{ lastTransitionTime, observedGeneration: 1 } };
}

function workload(name: string, queueName: string, cpu: string, fields: object = {}, count = 1) {
  const containers = [{ name: 'c', image: 'busybox', resources: { requests: { cpu } } }];
  const spec = { restartPolicy: 'Never', containers };
  const podSets = [{ name: 'main', count, template: { spec } }];
  return {
    ...{ apiVersion, kind: 'Workload', metadata: { name } },
    spec: { queueName, podSets, ...fields },
  };
}

interface Step {
  readonly does?: (place: Place) => Promise<unknown>;
  /** The Workload, whose texts are compared once it has this condition, as `Admitted=True`. */
  readonly then: readonly [name: string, condition: string];
}

const preempts = { preemption: { withinClusterQueue: 'LowerPriority' } };

const scripts: Readonly<Record<string, readonly Step[]>> = {
  'what fits is admitted': [
    {
      does: (place) =>
        place.apply(clusterQueue('fits', { default: '2' }), localQueue('fits', 'fits')),
      then: ['', ''],
    },
    {
      does: (place) => place.apply(workload('a', 'fits', '500m', {}, 3)),
      then: ['a', 'Admitted=True'],
    },
  ],
  'what finds no room waits, and is admitted when another one has finished': [
    {
      does: (place) =>
        place.apply(
          clusterQueue('room', { default: '2' }),
          localQueue('room', 'room'),
          workload('b1', 'room', '2'),
        ),
      then: ['b1', 'Admitted=True'],
    },
    {
      does: (place) => place.apply(workload('b2', 'room', '1500m')),
      then: ['b2', 'QuotaReserved=False'],
    },
    { does: (place) => place.finish('b1'), then: ['b2', 'Admitted=True'] },
  ],
  'what is larger than the quota never fits': [
    {
      does: (place) =>
        place.apply(
          clusterQueue('small', { default: '2' }),
          localQueue('small', 'small'),
          workload('c', 'small', '3'),
        ),
      then: ['c', 'QuotaReserved=False'],
    },
  ],
  'the lower priority gives way, and comes back': [
    {
      does: (place) =>
        place.apply(
          clusterQueue('fight', { default: '1' }, preempts),
          localQueue('fight', 'fight'),
          workload('low', 'fight', '1', { priority: 1 }),
        ),
      then: ['low', 'Admitted=True'],
    },
    {
      does: (place) => place.apply(workload('high', 'fight', '1', { priority: 10 })),
      then: ['low', 'Evicted=True'],
    },
    { then: ['high', 'QuotaReserved=False'] },
    { does: (place) => place.giveWay('low', true), then: ['high', 'Admitted=True'] },
    { does: (place) => place.finish('high'), then: ['low', 'Admitted=True'] },
  ],
  'what is set inactive is evicted, and waits again when it is active': [
    {
      does: (place) =>
        place.apply(
          clusterQueue('pause', { default: '1' }),
          localQueue('pause', 'pause'),
          workload('d', 'pause', '1'),
        ),
      then: ['d', 'Admitted=True'],
    },
    {
      does: (place) => place.patch('workload d', { spec: { active: false } }),
      then: ['d', 'Evicted=True'],
    },
    { does: (place) => place.giveWay('d', false), then: ['d', 'Admitted=False'] },
    {
      does: (place) => place.patch('workload d', { spec: { active: true } }),
      then: ['d', 'Admitted=True'],
    },
  ],
  'a queue that is missing or drained says so': [
    {
      does: (place) => place.apply(workload('e', 'late', '1')),
      then: ['e', 'QuotaReserved=False'],
    },
    {
      does: (place) =>
        place.apply(clusterQueue('late', { default: '1' }), localQueue('late', 'late')),
      then: ['e', 'Admitted=True'],
    },
    {
      does: (place) => place.patch('localqueue late', { spec: { stopPolicy: 'HoldAndDrain' } }),
      then: ['e', 'Evicted=True'],
    },
    { does: (place) => place.giveWay('e', false), then: ['e', 'Admitted=False'] },
    {
      does: (place) => place.patch('localqueue late', { spec: { stopPolicy: 'None' } }),
      then: ['e', 'Admitted=True'],
    },
  ],
};

describeKueue('the stand-in for Kueue says what Kueue says', (suite) => {
  let sandbox: ListeningSandbox | undefined;
  let real: Place;
  let ours: Place;
  beforeAll(async () => {
    sandbox = await startListeningSandbox({ kueue: true });
    real = new Place(suite.cluster.kubectl, 'default');
    ours = new Place(kubectlWith(suite.cluster.binaries.kubectl, sandbox.kubeconfig), 'default');
    for (const place of [real, ours]) await place.apply(resourceFlavor('default'));
  });
  afterAll(() => sandbox?.stop());

  it.concurrent.each(Object.entries(scripts))('%s', async (_, steps) => {
    for (const { does, then } of steps) {
      if (does !== undefined) await Promise.all([does(real), does(ours)]);
      const [name, awaited] = then;
      if (name === '') continue;
      const [type = '', status] = awaited.split('=');
      await vi.waitFor(async () => {
        const found = (await real.conditions(name)).find((each) => each.type === type);
        expect(found?.status, `${awaited} of ${name}`).toBe(status);
      }, waiting);
      await vi.waitFor(
        async () => expect(await ours.reported(name)).toEqual(await real.reported(name)),
        waiting,
      );
    }
  });

  it('keeps the queue of what has quota', async () => {
    const objects = [
      clusterQueue('kept', { default: '1' }),
      localQueue('kept', 'kept'),
      workload('k', 'kept', '1'),
    ];
    for (const place of [real, ours]) {
      await place.apply(...objects);
      await vi.waitFor(
        async () => expect(await place.reported('k')).toHaveProperty('Admitted'),
        waiting,
      );
      const args = ['patch', 'workload', 'k', '--type=merge', '-p', '{"spec":{"queueName":"o"}}'];
      expect(await place.refusal(args)).toContain(
        'queueName is immutable while workload quota reserved',
      );
    }
  });
});

const waiting = { timeout: 20_000, interval: 200 };
