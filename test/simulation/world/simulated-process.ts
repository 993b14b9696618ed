/**
 * One process of Millrace and its lives. The parts and their composition are those of
 * functions/millrace/compose.ts and of the mains. Only clock, chance, client, queue and journal are
 * simulated. After its death nothing of it runs any more, and a new life knows nothing of the old
 * one.
 */
import { type Bridge, createBridge, type Leadership } from '#functions/bridge/bridge.ts';

import { deliverInProcess } from '#functions/dispatcher/deliver-in-process.ts';
import type { Deliver } from '#functions/dispatcher/deliver.ts';
import { createDispatcher } from '#functions/dispatcher/dispatcher.ts';
import { HeadStarts } from '#functions/dispatcher/head-starts.ts';
import type { Outlet } from '#functions/bridge/outlet.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import { mostRecentBeside, viewReader } from '#shared/kube/view-reader.ts';
import { writeThrough } from '#shared/kube/write-through.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { readsOver } from '#shared/runtime/function/function-reads.ts';
import type { StoredViewsOptions } from '#functions/bridge/stored-views.ts';
import type { ViewStore } from '#shared/views/view-store.ts';
import { openSeal } from './simulated-views.ts';
import {
  createItemProcessor,
  type ItemProcessorOptions,
} from '#shared/runtime/function/process-item.ts';
import { trustBy } from '#shared/runtime/function/trust.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { idleDispatcherMetrics, idleFunctionMetrics, idleRegistry } from './idle-metrics.ts';
import { type ObserverOptions, observedFunction } from './observed-function.ts';
import { traceLogger } from './quiet-logger.ts';
import type { SimulationContext } from './simulation-context.ts';
import { judgedKinds } from '../model/kinds.ts';
import type { Machine } from './machine.ts';
import { bridgeStores, bridgeViews } from './bridge-stores.ts';
import { Republication } from '../invariants/republication.ts';
import type { Candidacy } from '../invariants/candidacy.ts';
import { type Election, simulatedElection } from './simulated-election.ts';
import { Progress } from '../invariants/progress.ts';
import type { ProcessTime } from './simulated-client.ts';
import type { SimulatedQueue } from './simulated-queue.ts';
import type { Life } from './timeline.ts';
import { VirtualClock } from './virtual-clock.ts';
import { resources } from '#shared/domain/resources.ts';
import { httpDateOf } from '#shared/domain/time.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';

export type Role = 'together' | 'bridge' | 'dispatcher' | 'function';

/** The environment of a new life. */
export interface Surroundings {
  readonly client: (life: Life, time: ProcessTime) => KubeClient;
  readonly queue: (life: Life) => SimulatedQueue;
  readonly journal: (life: Life) => Journal;
  /** For functions in other processes. Undefined: none. */
  readonly views: (life: Life) => ViewStore | undefined;
  /** Delivers for a dispatcher to functions in other processes. */
  readonly remote: (life: Life) => Deliver;
  readonly observer: Omit<ObserverOptions, 'life' | 'machine' | 'readsViews'>;
  readonly functions: readonly EventFunction[];
  readonly records: boolean;
  /** Absent: every bridge publishes. */
  readonly election: Election | undefined;
  /** Reports a violation. */
  readonly blame: (fault: string) => void;
  readonly sweepMs: number;
  readonly batchLimit: number;
  readonly concurrency: number;
  /** `fault`: why it should not have ended. */
  readonly onExit: (process: SimulatedProcess, fault: Error | undefined) => void;
}

/** Shorter than in production where a wait would only cost virtual time. */
export const times = {
  sweepMs: 20_000,
  epochMs: 10_000,
  silenceMs: 24_000,
  relistMs: 60_000,
  watchSeconds: [30, 90],
  pageLimit: 4,
} as const;
/** A process ends if due work is not settled for this long, in milliseconds. */
const noProgressMs = 45_000;
/** Interval at which the watchdog reads the queue's depth, in milliseconds. */
const sampleEveryMs = 5_000;
/** A process with wedged takes has been replaced by then, in milliseconds. */
export const wedgedMs = noProgressMs + 3 * sampleEveryMs;

/** The parts of a process, and its machine. */
export interface Place {
  readonly name: string;
  readonly role: Role;
  readonly machine: Machine;
}

export class SimulatedProcess {
  readonly name: string;
  readonly role: Role;
  readonly machine: Machine;
  life: Life;
  bridge: Bridge | undefined;
  /** Set while a function runs here that other processes' dispatchers may call. */
  processItem: Deliver | undefined;
  readonly #context: SimulationContext;
  readonly #surroundings: Surroundings;
  #queue: SimulatedQueue | undefined;
  #clock: ClusterClock | undefined;
  #candidacy: Candidacy | undefined;
  /** By name of the function. */
  #progress: ReadonlyMap<string, Progress> = new Map();
  #stop = new AbortController();
  #lives = 0;

  constructor(place: Place, context: SimulationContext, surroundings: Surroundings) {
    const { name, role, machine } = place;
    this.name = name;
    this.role = role;
    this.machine = machine;
    this.#context = context;
    this.#surroundings = surroundings;
    this.life = { name, alive: false, stoppedUntilMs: 0 };
  }

  start(): void {
    if (this.life.alive) return;
    this.#lives += 1;
    const life: Life = { name: `${this.name}#${this.#lives}`, alive: true, stoppedUntilMs: 0 };
    this.life = life;
    this.#stop = new AbortController();
    this.#context.trace(life, () => 'started');
    const running = this.#parts(life).map((part) => part(this.#stop.signal));
    Promise.all(running).then(
      () => this.#ended(life, undefined),
      (error: unknown) => this.#ended(life, error),
    );
  }

  /** As after enough of the API server's answers to believe them (see cluster-clock.ts). */
  learnTime(serverNowMs: number): void {
    const date = httpDateOf(serverNowMs);
    const heardMs = this.#clock?.monotonicMs() ?? 0;
    for (let answers = 0; answers < 3; answers += 1) {
      this.#clock?.hear({ date, askedMs: heardMs, answeredMs: heardMs });
    }
  }

  /** Like SIGKILL. */
  crash(): void {
    if (!this.life.alive) return;
    this.#context.trace(this.life, () => 'KILLED');
    this.lastLook();
    this.life.alive = false;
    this.#queue?.abandon();
    this.bridge = undefined;
    this.processItem = undefined;
  }

  /** Like SIGSTOP and a later SIGCONT. */
  pause(forMs: number): void {
    if (!this.life.alive) return;
    this.#context.trace(this.life, () => `STOPPED for ${forMs} ms`);
    const untilMs = this.#context.timeline.nowMs + forMs;
    this.life.stoppedUntilMs = Math.max(this.life.stoppedUntilMs, untilMs);
    this.#queue?.stall(forMs);
  }

  /** Like SIGTERM: takes no more work, finishes running work, and ends. */
  stop(): void {
    this.#context.trace(this.life, () => 'asked to end');
    this.#stop.abort();
  }

  get #subscriptions(): readonly Subscription[] {
    return this.#surroundings.functions.map(({ subscription }) => subscription);
  }

  /** Whether its bridge acts as the holder of the lease. */
  get holdsLease(): boolean {
    return this.life.alive && this.#candidacy?.acts === true;
  }

  /** The stores do not answer from now on. */
  disconnect(forMs: number): void {
    if (this.life.alive) this.#queue?.disconnect(forMs);
  }

  /** Checks at its death or at the end of the run what it is late for. */
  lastLook(): void {
    if (!this.life.alive) return;
    this.#candidacy?.lastLook();
    this.#candidacy = undefined;
    for (const progress of this.#progress.values()) progress.lastLook();
    this.#progress = new Map();
  }

  #ended(life: Life, error: unknown): void {
    if (!life.alive) return;
    const judges = [...this.#progress.values()];
    const isOwed = error === undefined || judges.some((progress) => progress.owesEnd(error));
    this.crash();
    this.#surroundings.onExit(this, isOwed ? undefined : (error as Error));
  }

  #parts(life: Life): readonly ((signal: AbortSignal) => Promise<void>)[] {
    const logger = traceLogger(this.#context, life);
    const own = new VirtualClock(this.#context.timeline, life, this.machine);
    const clock = new ClusterClock({ own, logger });
    this.#clock = clock;
    const client = this.#surroundings.client(life, {
      monotonicMs: () => own.monotonicMs(),
      onServerTime: (time) => clock.hear(time),
    });
    const journal = this.#surroundings.journal(life);
    const queue = this.#surroundings.queue(life);
    this.#queue = queue;
    const common = { clock, journal, queue, logger };
    switch (this.role) {
      case 'together': {
        let headStarts: HeadStarts | undefined;
        const turn = (): Promise<void> => Promise.resolve();
        const begin: Deliver = (item, signal) => {
          this.#context.traffic.begins(item);
          return deliver(item, signal);
        };
        const { concurrency } = this.#surroundings;
        const bridge = this.#openBridge(life, client, common, {
          outlet: (queue) => {
            const add: Outlet['add'] = (...asked) => queue.add(...asked);
            return (headStarts = new HeadStarts({ add, deliver: begin, concurrency, clock, turn }));
          },
        });
        const own = writeThrough(client, bridge.views, clock);
        const server = apiReader(own);
        const readers = (subscription: Subscription): Readers => {
          const seen = bridge.views.seenBy(subscription);
          const freshReader = mostRecentBeside(seen, server);
          return { reader: viewReader(seen, server), freshReader, client: own };
        };
        const deliver = this.#openFunctions(life, common, readers, true);
        const taken: Deliver = (item, signal) => (headStarts ?? { deliver }).deliver(item, signal);
        const dispatch = this.#dispatcher(taken, common);
        return [
          (signal) => bridge.run(signal),
          (signal) => bridge.whileLeading((leads) => dispatch(leads), signal),
        ];
      }
      case 'bridge': {
        const store = this.#surroundings.views(life);
        const bridge = this.#openBridge(life, client, common, { store });
        return [(signal) => bridge.run(signal)];
      }
      case 'dispatcher':
        return [this.#dispatcher(this.#surroundings.remote(life), common)];
      case 'function': {
        const store = this.#surroundings.views(life);
        const views = store && { store, seal: openSeal };
        const readers = (subscription: Subscription): Readers =>
          readsOver({ subscription, client, clock, logger, views });
        this.processItem = this.#openFunctions(life, common, readers, views !== undefined);
        return [untilAborted];
      }
    }
  }

  #openBridge(
    life: Life,
    client: KubeClient,
    common: Common,
    {
      store,
      outlet = (queue) => queue,
    }: { readonly store?: ViewStore | undefined; readonly outlet?: (queue: Outlet) => Outlet },
  ): Bridge {
    const { random } = this.#context;
    const elected = this.#elected(life, client);
    const republication = new Republication({
      name: life.name,
      leads: () => elected?.candidacy.acts ?? true,
      flows: () => bridge.views.followed(resources.JobFlow).values(),
      blame: this.#surroundings.blame,
    });
    const candidacy = elected?.candidacy;
    const stores = bridgeStores({ ...common, candidacy, republication });
    const bridge: Bridge = createBridge({
      ...common,
      subscriptions: this.#subscriptions,
      ...stores,
      queue: outlet(stores.queue),
      ...(elected === undefined ? {} : { leadership: elected.leadership(republication) }),
      ...(store === undefined
        ? {}
        : { storedViews: storedViews(life, bridgeViews(store, republication)) }),
      client,
      clusterUid: 'cluster-uid',
      metrics: idleRegistry,
      random: random.branch(`bridge ${life.name}`).next,
      times: {
        ...times,
        sweepMs: this.#surroundings.sweepMs,
        batchLimit: this.#surroundings.batchLimit,
      },
    });
    this.bridge = bridge;
    return bridge;
  }

  /** All of Millrace's functions, observed. */
  #openFunctions(
    life: Life,
    { journal, ...common }: Common,
    readersOf: (subscription: Subscription) => Readers,
    readsViews: boolean,
  ): Deliver {
    const { machine } = this;
    const { observer, records } = this.#surroundings;
    const processors = this.#surroundings.functions.map((fn) => {
      const { subscription } = fn;
      const kind = judgedKinds.find((each) => each.fn === fn);
      if (kind === undefined) throw new Error(`no model judges ${subscription.name}`);
      const options = {
        ...common,
        ...readersOf(subscription),
        ...(records ? { journal } : {}),
        fn: observedFunction(kind, { ...observer, life, machine, readsViews }),
        metrics: idleFunctionMetrics,
        instance: life.name,
        version: 'simulated',
        // No submitters are recorded, because admission is not simulated.
        trust: trustBy({ trustNamespaces: true }),
      };
      return [subscription.name, createItemProcessor<unknown>(options)] as const;
    });
    return deliverInProcess(new Map(processors));
  }

  /** For a candidate. Undefined: every bridge publishes. */
  #elected(life: Life, client: KubeClient) {
    const { election } = this.#surroundings;
    if (election === undefined) return undefined;
    const { machine } = this;
    const context = this.#context;
    const random = context.random.branch(`election ${life.name}`);
    const clock = new VirtualClock(context.timeline, life, machine);
    const parts = { context, election, life, machine, client, clock, random };
    const { leadership, candidacy } = simulatedElection(parts);
    this.#candidacy = candidacy;
    return {
      candidacy,
      leadership: (republication: Republication): Leadership => ({
        run: (signal, onChange) =>
          leadership.run(signal, (leads) => {
            if (leads) republication.leads();
            onChange(leads);
          }),
      }),
    };
  }

  #dispatcher(deliver: Deliver, common: Common): (signal: AbortSignal) => Promise<void> {
    const { queue } = common;
    const { life, machine } = this;
    const { timeline } = this.#context;
    const { blame } = this.#surroundings;
    const judged = { life, machine, timeline, noProgressMs, sampleEveryMs, blame };
    const judges = new Map(this.#subscriptions.map(({ name }) => [name, new Progress(judged)]));
    this.#progress = judges;
    queue.judgedBy((name) => judges.get(name));
    const dispatcher = createDispatcher({
      ...common,
      deliver: async (item, signal) => {
        const delivery = await deliver(item, signal);
        queue.delivered(item, delivery);
        return delivery;
      },
      sampleEveryMs,
      noProgressMs,
      concurrency: Object.fromEntries(
        this.#subscriptions.map(({ name }) => [name, this.#surroundings.concurrency]),
      ),
      random: this.#context.random.branch(`dispatcher ${this.life.name}`).next,
      metrics: {
        ...idleDispatcherMetrics,
        depth: (name, depth) => judges.get(name)?.reports(depth),
      },
    });
    return (signal) => {
      for (const progress of judges.values()) progress.begins(signal);
      return dispatcher.run(signal);
    };
  }
}

type Readers = Pick<ItemProcessorOptions<unknown>, 'client' | 'reader' | 'freshReader'>;

interface Common {
  readonly clock: ClusterClock;
  readonly journal: Journal;
  readonly queue: SimulatedQueue;
  readonly logger: ReturnType<typeof traceLogger>;
}

function storedViews({ name }: Life, store: ViewStore): StoredViewsOptions {
  let sessions = 0;
  const newSession = (): string => {
    sessions += 1;
    return `${name}/${sessions}`;
  };
  return { store, seal: openSeal, newSession };
}
