/**
 * The sandbox's Job controller, garbage collector and TTL controller against the real ones: the
 * same scripts must end alike. On the real side kwok plays the kubelet, and on the other a virtual
 * clock sets the pace.
 */
import { afterAll, beforeAll, it, type ExpectStatic } from 'vitest';
import { ControllerWorld, type Job, type Pod } from '#sandbox/testing';
import type { JsonObject, KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type ClusterClient, freshNamespace, openClient } from '#test/support/cluster-client.ts';
import { describeAgreement } from './recorded-suite.ts';

interface View {
  readonly job: Job | undefined;
  readonly pods: readonly Pod[];
}

type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** Operations on one Job that both sides have. */
interface Stage {
  create(object: object): Promise<void>;
  patchJob(body: JsonObject): Promise<void>;
  deleteJob(propagation: Propagation): Promise<void>;
  deletePod(name: string): Promise<void>;
  view(): Promise<View>;
  until(what: string, isTrue: (view: View) => boolean): Promise<void>;
  /** Every list of conditions that the Job had. */
  conditions(): readonly string[];
  /** `Reason: message` of the Events about the Job. */
  eventTexts(): Promise<readonly string[]>;
}

interface Scenario {
  readonly name: string;
  readonly seconds?: number;
  readonly exitCode?: number;
  readonly spec?: object;
  readonly play?: (stage: Stage) => Promise<void>;
  readonly ends?: (view: View) => boolean;
}

const isFinished = ({ job }: View) =>
  job?.status?.conditions?.some(
    ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
  ) === true;
const isGone = ({ job, pods }: View) => job === undefined && pods.length === 0;
const isRunning =
  (count = 1) =>
  ({ pods, job }: View) =>
    job?.status?.ready === count &&
    pods.filter(({ status }) => status?.phase === 'Running').length === count;
const isSuspended = ({ job, pods }: View) =>
  pods.length === 0 &&
  job?.status?.terminating === 0 &&
  job.status.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ===
    true;

const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
const failJob = { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } };
const ignore = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] };

const scenarios: readonly Scenario[] = [
  { name: 'succeeds' },
  { name: 'completes-three-two-at-a-time', spec: { completions: 3, parallelism: 2 } },
  { name: 'drains-a-work-queue', spec: { parallelism: 2 } },
  { name: 'fails-without-a-retry', exitCode: 1, spec: { backoffLimit: 0 } },
  { name: 'fails-after-one-retry', exitCode: 1, spec: { backoffLimit: 1 } },
  { name: 'completes-by-index', spec: indexed },
  {
    name: 'fails-by-index',
    exitCode: 1,
    spec: { ...indexed, backoffLimitPerIndex: 0 },
  },
  {
    name: 'exceeds-failed-indexes',
    exitCode: 1,
    spec: { ...indexed, parallelism: 1, backoffLimitPerIndex: 0, maxFailedIndexes: 0 },
  },
  {
    name: 'succeeds-by-policy',
    spec: { ...indexed, parallelism: 1, successPolicy: { rules: [{ succeededCount: 1 }] } },
  },
  {
    name: 'fails-by-policy',
    exitCode: 42,
    spec: { podFailurePolicy: { rules: [ignore, failJob] } },
  },
  {
    name: 'counts-what-no-rule-matches',
    exitCode: 7,
    spec: { backoffLimit: 0, podFailurePolicy: { rules: [ignore, failJob] } },
  },
  { name: 'misses-its-deadline', seconds: 60, spec: { activeDeadlineSeconds: 2 } },
  {
    name: 'starts-suspended',
    spec: { suspend: true },
    play: async (stage) => {
      await stage.until('suspended', isSuspended);
      await stage.patchJob({ spec: { suspend: false } });
    },
  },
  {
    name: 'is-suspended-and-resumed',
    seconds: 3,
    spec: { backoffLimit: 0, completions: 2, parallelism: 2 },
    play: async (stage) => {
      await stage.until('running', isRunning(2));
      await stage.patchJob({ spec: { suspend: true } });
      await stage.until('suspended', isSuspended);
      await stage.patchJob({ spec: { suspend: false } });
    },
  },
  {
    name: 'shrinks',
    seconds: 4,
    spec: { completions: 3, parallelism: 3 },
    play: async (stage) => {
      await stage.until('running', isRunning(3));
      await stage.patchJob({ spec: { parallelism: 1 } });
    },
  },
  {
    name: 'loses-its-pod',
    seconds: 60,
    spec: { backoffLimit: 0 },
    play: async (stage) => {
      await stage.until('running', isRunning());
      const [pod] = (await stage.view()).pods;
      await stage.deletePod(pod?.metadata.name ?? '');
    },
  },
  {
    name: 'is-deleted-in-the-foreground',
    seconds: 60,
    play: async (stage) => {
      await stage.until('running', isRunning());
      await stage.deleteJob('Foreground');
    },
    ends: isGone,
  },
  {
    name: 'is-deleted-in-the-background',
    seconds: 60,
    spec: { completions: 2, parallelism: 2 },
    play: async (stage) => {
      await stage.until('running', isRunning(2));
      await stage.deleteJob('Background');
    },
    ends: isGone,
  },
  {
    name: 'leaves-its-pods-behind',
    seconds: 60,
    play: async (stage) => {
      await stage.until('running', isRunning());
      await stage.deleteJob('Orphan');
    },
    ends: ({ job, pods }) =>
      job === undefined && pods.every(({ metadata }) => metadata.finalizers === undefined),
  },
  { name: 'lives-one-more-second', spec: { ttlSecondsAfterFinished: 1 }, ends: isGone },
];

const label = 'batch.kubernetes.io/job-name';

function jobOf({ name, seconds = 1, exitCode = 0, spec }: Scenario): NewObject {
  const annotations = {
    'simulate.millrace.dev/run-for': `${seconds}s`,
    'simulate.millrace.dev/exit-code': String(exitCode),
    'sandbox.millrace.dev/run-seconds': String(seconds),
    'sandbox.millrace.dev/exit-code': String(exitCode),
  };
  const containers = [{ name: 'main', image: 'busybox' }];
  const template = { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template, ...spec } };
}

const conditionsOf = (object: KubeObject) =>
  ((object as Job).status?.conditions ?? [])
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
    .join(', ');

/** Random parts of names and the namespace are replaced, because they always differ. */
const anonymous = (text: string, name: string) =>
  text
    .replace(/[\w-]+\/(?=\w)/g, '')
    .replace(new RegExp(`${name}(-\\d+)?-[a-z0-9]{5}\\b`), `${name}$1-?`);

const withoutRepetition = (list: readonly string[]) =>
  list.filter((item, index) => item !== list[index - 1]);

async function outcomeOf(scenario: Scenario, stage: Stage) {
  await stage.create(jobOf(scenario));
  await scenario.play?.(stage);
  await stage.until('its end', scenario.ends ?? isFinished);
  const { job, pods } = await stage.view();
  const { startTime, completionTime, ...status } = job?.status ?? {};
  return {
    isThere: job !== undefined,
    counts: { ...status, conditions: undefined },
    hasStarted: startTime !== undefined,
    hasCompleted: completionTime !== undefined,
    conditions: withoutRepetition(stage.conditions()),
    pods: pods.map(summaryOf).toSorted(),
    events: (await stage.eventTexts()).map((text) => anonymous(text, scenario.name)).toSorted(),
  };
}

function summaryOf({ metadata, status }: Pod): string {
  const index = metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? 'none';
  const { finalizers = [], ownerReferences = [] } = metadata;
  const terminated = status?.containerStatuses?.[0]?.state.terminated?.exitCode ?? 'none';
  const parts = { phase: status?.phase, index, exit: terminated };
  const held = { finalizers: finalizers.length, owners: ownerReferences.length };
  return JSON.stringify({ ...parts, ...held });
}

function sandboxStage({ name }: Scenario): Stage {
  const world = new ControllerWorld({ nodes: 3 });
  const seen: string[] = [];
  world.sandbox.store.onChange(({ object, type }) => {
    if (object.kind === 'Job' && type !== 'DELETED') seen.push(conditionsOf(object));
  });
  const view = () => ({
    job: world.hasJob(name) ? world.job(name) : undefined,
    pods: world.pods.filter(({ metadata }) => metadata.labels?.[label] === name),
  });
  return {
    create: async (object) => {
      world.create('jobs', object);
    },
    patchJob: async (body) => world.patch('jobs', name, body),
    deleteJob: async (propagationPolicy) => world.delete('jobs', name, { propagationPolicy }),
    deletePod: async (pod) => world.delete('pods', pod),
    view: async () => view(),
    until: async (what, isTrue) => {
      for (let round = 0; !isTrue(view()); round += 1) {
        if (round > 600) throw new Error(`the sandbox never came to: ${what}`);
        world.pass(0.1);
      }
    },
    conditions: () => seen,
    eventTexts: async () => world.eventTexts('Job', name),
  };
}

await describeAgreement(
  'controllers',
  'the controllers of the sandbox and the real ones',
  (cluster) => {
    let opened: ClusterClient;
    let namespace: string;
    const seen = new Map<string, string[]>();
    const stop = new AbortController();
    let watching: Promise<void>;

    beforeAll(async () => {
      opened = await openClient(cluster.kubeconfig, 'sandbox-controllers');
      namespace = await freshNamespace(opened.client, 'controllers');
      const { resourceVersion } = await opened.client.list(resources.Job, { namespace });
      watching = watch(resourceVersion);
    });

    afterAll(async () => {
      stop.abort();
      await watching;
      await opened.client.delete(resources.Namespace, { namespace: '', name: namespace });
      await opened[Symbol.asyncDispose]();
    });

    async function watch(resourceVersion: string): Promise<void> {
      const options = { namespace, resourceVersion, timeoutSeconds: 300, signal: stop.signal };
      for await (const event of opened.client.watch(resources.Job, options)) {
        if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
        const { name } = event.object.metadata;
        seen.set(name, [...(seen.get(name) ?? []), conditionsOf(event.object)]);
      }
    }

    function realStage({ name }: Scenario, expect: ExpectStatic): Stage {
      const { client } = opened;
      const here = { namespace, name };
      const view = async () => {
        const labelSelector = `${label}=${name}`;
        const { items } = await client.list(resources.Pod, { namespace, labelSelector });
        return {
          job: (await client.get(resources.Job, here)) as Job | undefined,
          pods: items as readonly Pod[],
        };
      };
      return {
        create: async (object) => {
          const { metadata, ...rest } = object as NewObject;
          await client.create(resources.Job, { ...rest, metadata: { ...metadata, namespace } });
        },
        patchJob: async (body) => {
          await client.patch(resources.Job, here, body, { type: 'merge' });
        },
        deleteJob: async (propagation) => {
          await client.delete(resources.Job, here, { propagation });
        },
        deletePod: async (pod) => {
          await client.delete(resources.Pod, { namespace, name: pod });
        },
        view,
        until: (what, isTrue) =>
          expect
            .poll(async () => isTrue(await view()), {
              interval: 200,
              timeout: 60_000,
              message: `${name}: ${what}`,
            })
            .toBe(true),
        conditions: () => seen.get(name) ?? [],
        eventTexts: async () => {
          interface Told extends KubeObject {
            readonly involvedObject: { readonly kind: string; readonly name: string };
            readonly reason: string;
            readonly message: string;
          }
          // Events are written asynchronously, a moment later.
          await new Promise((resolve) => setTimeout(resolve, 500));
          const { items } = await client.list(resources.Event, { namespace });
          return (items as readonly Told[])
            .filter(
              ({ involvedObject: { kind, ...about } }) => kind === 'Job' && about.name === name,
            )
            .map(({ reason, message }) => `${reason}: ${message}`);
        },
      };
    }

    it.concurrent.for(scenarios)('agree on a Job that $name', async (scenario, { expect }) => {
      const real = await outcomeOf(scenario, realStage(scenario, expect));
      const simulated = await outcomeOf(scenario, sandboxStage(scenario));
      expect(simulated).toEqual(real);
    });
  },
);
