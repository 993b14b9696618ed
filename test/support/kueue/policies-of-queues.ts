/** Suspend policies on a LocalQueue and on Workloads of a real Kueue, on any cluster. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { jobSpec, manifest } from '#test/real/manifests.ts';
import { kubectlPatience } from '../patience.ts';
import { testExtent } from '../test-extent.ts';

/** With a LocalQueue `main` that has quota for one Pod. */
export interface QueuePlace {
  /** kubectl's output for the namespace. Throws kubectl's own message if the exit code is not 0. */
  readonly ask: (args: readonly string[], input?: string) => Promise<string>;
  readonly namespace: string;
}

interface Workload {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly ownerReferences: readonly { readonly name: string }[];
  };
  readonly spec: { readonly active: boolean };
}

interface ManagedJob {
  readonly metadata: {
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[];
  };
}

/** Work from before a closing may have a grace, which the test waits for. */
type Opening = 'Open' | 'Closing' | 'Closed';

const isFull = testExtent() === 'full';
/** Jobs in a queue that a policy stops: more than one batch of writes. */
const crowd = Number(process.env['MILLRACE_TEST_CROWD'] ?? (isFull ? 200 : 70));
/** Time limit of their deletion, in seconds: Kueue removes its finalizers one after another. */
const crowdGoesSeconds = 60 + Math.ceil(crowd / 4);
export const crowdGoes = `--timeout=${crowdGoesSeconds}s`;
/** Work that Kueue must not run has to stay unchanged for this time, in milliseconds. */
const heldMs = Number(process.env['MILLRACE_TEST_HELD_SECONDS'] ?? (isFull ? 20 : 5)) * 1_000;

/** A Pod in kwok runs as long as its container would sleep. */
const untilStopped = { metadata: { annotations: { 'simulate.millrace.dev/run-for': '300s' } } };

export function describePoliciesOfQueues(open: () => Promise<QueuePlace>): void {
  let place: QueuePlace;
  beforeAll(async () => {
    place = await open();
  });
  const ask: QueuePlace['ask'] = (args, input) => place.ask(args, input);
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  const wait = (what: string, on: string) => ask(['wait', `--for=${what}`, kubectlPatience, on]);
  const field = (path: string, ...of: readonly string[]) =>
    ask(['get', ...of, '-o', `jsonpath={${path}}`]);
  const instant = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '');
  const hourMs = 3_600_000;
  /** Its window is always years away. An exception opens it, for an hour or for a moment. */
  const policy = (name: string, opening: Opening, spec: JsonObject, onClose = 'Suspend') => {
    const now = Date.now();
    const untilMs = { Closed: now, Closing: now + 10_000, Open: now + hourMs }[opening];
    const exception = { name: 'now', from: instant(now - hourMs), to: instant(untilMs) };
    return manifest('millrace.dev/v1alpha1', 'SuspendPolicy', name, {
      namespace: place.namespace,
      spec: {
        ...spec,
        schedule: {
          timeZone: 'UTC',
          windows: [{ name: 'night', open: '0 0 29 2 *', close: '0 1 29 2 *' }],
          exceptions: opening === 'Closed' ? [] : [{ ...exception, state: 'Open' }],
          onClose: { action: onClose },
        },
      },
    });
  };
  const { template } = jobSpec('trap "exit 1" TERM; sleep 300 & wait') as {
    readonly template: object;
  };
  const queued = (name: string, of = 'crowd') =>
    manifest('batch/v1', 'Job', name, {
      namespace: place.namespace,
      labels: { 'kueue.x-k8s.io/queue-name': 'main', of },
      spec: { template: { ...untilStopped, ...template } },
    });

  describe('a policy of its queues (scenario 65)', () => {
    const queues = (opening: Opening, onClose?: string) =>
      apply(policy('queues', opening, { kinds: ['LocalQueue'] }, onClose));
    const stopPolicy = (is: string) => wait(`jsonpath={.spec.stopPolicy}=${is}`, 'localqueue/main');
    const generation = async () => Number(await field('.metadata.generation', 'localqueue/main'));
    const overridden = (count: number) =>
      wait(`jsonpath={.status.overridden}=${count}`, 'suspendpolicy/queues');

    afterAll(async () => {
      await ask(['delete', 'jobs', '-l', 'of=crowd', crowdGoes]);
    }, crowdGoesSeconds * 1_000);

    it('stops what runs and what waits by one write, and none on a Job', async () => {
      await apply(queued('crowd-first'));
      await wait('jsonpath={.status.active}=1', 'job/crowd-first');
      const others = Array.from({ length: crowd - 1 }, (_, index) => queued(`crowd-${index}`));
      await apply(others.join('\n'));
      const before = await generation();
      await queues('Closed');
      await stopPolicy('HoldAndDrain');
      await wait('jsonpath={.spec.suspend}=true', 'job/crowd-first');
      await wait('jsonpath={.status.held}=1', 'suspendpolicy/queues');
      expect(await generation()).toBe(before + 1);
      const note = await field('.metadata.annotations.millrace\\.dev/held', 'localqueue/main');
      expect(JSON.parse(note)).toMatchObject({
        policy: `SuspendPolicy/${place.namespace}/queues`,
        reason: 'WindowClosed',
      });
      const jobs = await ask([
        'get',
        'jobs',
        '-l',
        'of=crowd',
        '-o',
        'yaml',
        '--show-managed-fields',
      ]);
      expect(jobs.match(/^ {2}kind: Job$/gm)).toHaveLength(crowd);
      expect(jobs).not.toMatch(/(?<!simulate\.)millrace/);
    });

    it('opens it again, and Kueue goes on', async () => {
      const before = await generation();
      await queues('Open');
      await stopPolicy('None');
      expect(await generation()).toBe(before + 1);
      await expect
        .poll(() => field('.items[*].status.active', 'jobs', '-l', 'of=crowd'), { timeout: 60_000 })
        .toBe('1');
      expect(
        await field('.metadata.annotations.millrace\\.dev/suspended-by', 'localqueue/main'),
      ).toBe('');
    });

    it('lets finish what runs where it says so', async () => {
      await queues('Closing', 'LetFinish');
      await stopPolicy('Hold');
      await wait('jsonpath={.status.held}=1', 'suspendpolicy/queues');
      expect(await field('.items[*].status.active', 'jobs', '-l', 'of=crowd')).toBe('1');
      await queues('Open');
      await stopPolicy('None');
    });

    it('leaves it as a user has set it meanwhile', async () => {
      await queues('Closed');
      await stopPolicy('HoldAndDrain');
      const theirs = '{"spec":{"stopPolicy":"Hold"}}';
      await ask(['patch', 'localqueue/main', '--type=merge', '-p', theirs]);
      await overridden(1);
      await queues('Open');
      await wait('jsonpath={.status.state}=Open', 'suspendpolicy/queues');
      await overridden(0);
      expect(await field('.spec.stopPolicy', 'localqueue/main')).toBe('Hold');
      await ask(['delete', 'suspendpolicy/queues', kubectlPatience]);
      expect(await field('.spec.stopPolicy', 'localqueue/main')).toBe('Hold');
      const back = '{"spec":{"stopPolicy":"None"}}';
      await ask(['patch', 'localqueue/main', '--type=merge', '-p', back]);
    });
  });

  describe('a policy of what it runs (scenario 64)', () => {
    const both = ['pair-a', 'pair-b'];
    const jobs = (opening: Opening, onClose?: string) => {
      const spec = { kinds: ['Job'], selector: { matchLabels: { of: 'pair' } } };
      return apply(policy('runs', opening, spec, onClose));
    };
    const running = () =>
      field('.items[?(@.status.active==1)].metadata.name', 'jobs', '-l', 'of=pair');
    const workloads = async (): Promise<Readonly<Record<string, Workload>>> => {
      const read = await ask(['get', 'workloads', '-o', 'json']);
      const { items } = JSON.parse(read) as { readonly items: readonly Workload[] };
      const ofPair = items.map(
        (each) => [each.metadata.ownerReferences[0]?.name ?? '', each] as const,
      );
      return Object.fromEntries(ofPair.filter(([name]) => both.includes(name)));
    };
    const active = async () => {
      const all = await workloads();
      return both.map((name) => all[name]?.spec.active);
    };
    const become = (...expected: readonly boolean[]) =>
      expect.poll(active, { timeout: 60_000 }).toEqual(expected);

    it(
      'makes their Workloads inactive, which stays so, and leaves the Jobs to Kueue',
      async () => {
        await apply(queued('pair-a', 'pair'));
        await wait('jsonpath={.status.active}=1', 'job/pair-a');
        await apply(queued('pair-b', 'pair'));
        await jobs('Closed');
        await become(false, false);
        await wait('jsonpath={.spec.suspend}=true', 'job/pair-a');
        await wait('jsonpath={.status.held}=2', 'suspendpolicy/runs');
        const generations = async () =>
          Object.values(await workloads()).map(({ metadata }) => metadata.generation);
        const before = await generations();
        await new Promise((resolve) => setTimeout(resolve, heldMs));
        expect([await active(), await generations()]).toEqual([[false, false], before]);
        const owned = await ask(['get', 'job/pair-a', '-o', 'json', '--show-managed-fields']);
        const { metadata } = JSON.parse(owned) as ManagedJob;
        const ours = metadata.managedFields.filter(({ manager }) => manager.includes('millrace'));
        expect(ours.flatMap(({ fieldsV1 }) => Object.keys(fieldsV1))).toEqual(['f:metadata']);
        expect(JSON.parse(metadata.annotations['millrace.dev/held'] ?? '')).toMatchObject({
          policy: `SuspendPolicy/${place.namespace}/runs`,
          reason: 'WindowClosed',
        });
        const events = ['events', '--field-selector', 'reason=HeldByPolicy'];
        const names = await field('.items[*].involvedObject.name', ...events);
        expect(names.split(' ')).toEqual(expect.arrayContaining(both));
      },
      heldMs + 180_000,
    );

    it('makes them active again, and Kueue admits them', async () => {
      await jobs('Open');
      await become(true, true);
      await expect.poll(running, { timeout: 60_000 }).toMatch(/^pair-[ab]$/);
      const notes = () => field('.items[*].metadata.annotations.millrace\\.dev/held', 'jobs');
      await expect.poll(notes, { timeout: 60_000 }).toBe('');
    });

    it('lets finish what runs, and holds what waits, where it says so', async () => {
      const runs = await running();
      await jobs('Closing', 'LetFinish');
      await become(...both.map((name) => name === runs));
      await wait('jsonpath={.status.held}=1', 'suspendpolicy/runs');
      expect(await running()).toBe(runs);
      await jobs('Open');
      await become(true, true);
    });

    it('leaves inactive what a user has made so', async () => {
      const name = (await workloads())['pair-b']?.metadata.name ?? '';
      await ask(['patch', `workload/${name}`, '--type=merge', '-p', '{"spec":{"active":false}}']);
      await jobs('Closed');
      await become(false, false);
      await jobs('Open');
      await become(true, false);
      await ask(['delete', 'suspendpolicy/runs', kubectlPatience]);
      expect(await active()).toEqual([true, false]);
      await ask(['delete', 'jobs', '-l', 'of=pair', kubectlPatience]);
    });
  });
}
