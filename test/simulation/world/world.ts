/** One simulated cluster with all its parts, built for one scenario. */
import { annotations, labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ObjectStore } from '#sandbox';
import { createMemoryJournal, type MemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue, type MemoryQueue } from '#shared/queue/memory-queue.ts';
import type { ClockPlan, FlowPlan, Happening, Scenario, UserAction } from '../scenario.ts';
import { clocksAreRight, limitActions, userActions } from '../scenario.ts';
import { templateNames } from '../random-scenario.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { Witness } from '../invariants/witness.ts';
import { leaseName } from '#functions/bridge/watch-set.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Candidacy } from '../invariants/candidacy.ts';
import { countedQueue, HeldWork } from '../invariants/held-work.ts';
import { namespace } from '../flow-objects.ts';
import { isFleetAction } from '../daemons/daemon-plans.ts';
import { DaemonWitness } from '../daemons/daemon-witness.ts';
import { Fleet } from '../daemons/fleet.ts';
import { Nights } from '../policies/nights.ts';
import { isQueueAction } from '../queues/queue-plans.ts';
import { Queues } from '../queues/queues.ts';
import { QueueWitness } from '../queues/queue-witness.ts';
import { isWrapperAction } from '../wrappers/wrapper-plans.ts';
import { WrappedPods } from '../wrappers/wrapped-pods.ts';
import { WrapperUser } from '../wrappers/wrapper-user.ts';
import { WrapperWitness } from '../wrappers/wrapper-witness.ts';
import { isNightAction } from '../policies/policy-plans.ts';
import { PolicyWitness } from '../policies/policy-witness.ts';
import { Disturbance } from './disturbance.ts';
import type { Election } from './simulated-election.ts';
import { isUndisturbed } from '../promptness/undisturbed.ts';
import { Traffic } from '../promptness/traffic.ts';
import { Faults } from './faults.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { JobController, type JobPlan } from './job-controller.ts';
import { SimulatedPods } from './simulated-pods.ts';
import { latencyOf } from './latency.ts';
import { Machine } from './machine.ts';
import { RequestsUnderWay } from './requests-under-way.ts';
import { remoteFunction } from './remote-function.ts';
import { simulatedClient } from './simulated-client.ts';
import { simulatedJournal } from './simulated-journal.ts';
import {
  type Role,
  SimulatedProcess,
  type Surroundings,
  times,
  wedgedMs,
} from './simulated-process.ts';
import { simulatedViews } from './simulated-views.ts';
import { createMemoryViews, type MemoryViews } from '#shared/views/memory-views.ts';
import { functionsOf } from './simulated-functions.ts';
import { simulatedQueue } from './simulated-queue.ts';
import type { SimulationContext } from './simulation-context.ts';
import { createSandboxServer, type SandboxServer } from './sandbox-server.ts';
import { cluster, type Life, Timeline } from './timeline.ts';
import { User } from './user.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Virtual milliseconds. */
const nodeBeatMs = 1_500;
const nightLookMs = 2_000;
/** After the start of calm; everything lost or stopped has been found again by then. */
const nightSweptMs = 35_000;
/** After the start of calm; everything that policies hold has had its turn by then. */
const nightEndMs = 200_000;

/** Events that end a child so that it cannot be looked up. */
const goneWithoutTrace: ReadonlySet<Happening['kind']> = new Set([
  'deleteChild',
  'daemonChildDeleted',
  'componentDeleted',
]);

/** Longer than any run, virtual milliseconds. */
const neverMs = 1e9;

export interface WorldHooks {
  readonly trace: ((line: string) => void) | undefined;
  readonly witnessOf: (timeline: Timeline, server: Machine) => Witness;
  readonly onFault: (why: string) => void;
}

/** Whether notes last as long as they are needed: they are lost with the data of Redis. */
function keepsNotes({ storedViews, happenings }: Scenario): boolean {
  return storedViews === true && happenings.every(({ kind }) => kind !== 'flushAll');
}

export class World {
  readonly scenario: Scenario;
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly underWay = new RequestsUnderWay();
  readonly traffic: Traffic;
  readonly witness: Witness;
  readonly server: SandboxServer;
  readonly user: User;
  /** Undefined: there are no nodes or DaemonJobs. */
  readonly fleet: Fleet | undefined;
  readonly daemons: DaemonWitness;
  /** Undefined: there are no suspend policies. */
  readonly nights: Nights | undefined;
  readonly policies: PolicyWitness;
  /** Undefined: Kueue is not installed. */
  readonly queues: Queues | undefined;
  readonly queueWitness: QueueWitness;
  /** Undefined: there are no AppWrappers. */
  readonly wrappers: WrapperUser | undefined;
  readonly wrapperWitness: WrapperWitness;
  readonly processes: readonly SimulatedProcess[];
  /** Counts how often each planned event occurred. */
  readonly happened: Partial<Record<Happening['kind'], number>> = {};
  readonly #random: SeededRandom;
  readonly #context: SimulationContext;
  readonly #hooks: WorldHooks;
  readonly #queue: MemoryQueue;
  readonly #journal: MemoryJournal;
  /** The bridges' views for functions in other processes. */
  readonly views: MemoryViews;
  readonly #jobs: JobController;
  readonly #garbage: GarbageCollector;
  readonly #controllers: Life = { name: 'controllers', alive: true, stoppedUntilMs: 0 };
  readonly #serverMachine: Machine;
  readonly #controllersMachine: Machine;
  readonly #disturbance: Disturbance;
  readonly #work: HeldWork;
  readonly #candidacies: Candidacy[] = [];
  #isTimeLearnt = false;

  constructor(scenario: Scenario, hooks: WorldHooks) {
    this.scenario = scenario;
    this.timeline = new Timeline({ usesEventLoop: scenario.batchLimit > 1 });
    this.#hooks = hooks;
    this.#random = new SeededRandom(scenario.seed).branch('world');
    this.faults = new Faults(scenario.faults, this.#random.branch('faults'));
    this.#disturbance = new Disturbance(this.timeline, this.#random.branch('disturbance'));
    this.traffic = new Traffic({
      fired: () => this.struck,
      clocksDiffer: !clocksAreRight(scenario),
    });
    this.#context = this.#contextOf(hooks);
    const { clocks } = scenario;
    const machineOf = (plan: ClockPlan | undefined) => new Machine(this.timeline, plan);
    this.#serverMachine = machineOf(clocks?.server);
    this.#controllersMachine = machineOf(clocks?.controllers);
    this.witness = hooks.witnessOf(this.timeline, this.#serverMachine);
    this.server = createSandboxServer({
      clock: new VirtualClock(this.timeline, cluster, this.#serverMachine),
      random: this.#random.branch('uids').next,
      checksSchemas: scenario.checksSchemas,
      hasKueue: scenario.queues !== undefined,
      takesPods: scenario.wrappers !== undefined,
    });
    const storeClock = new VirtualClock(this.timeline, cluster, machineOf(clocks?.store));
    this.#work = new HeldWork(storeClock);
    const queue = createMemoryQueue({ clock: storeClock, random: this.#queueOrder() });
    this.#queue = countedQueue(queue, this.#work);
    const epochs = this.#random.branch('epochs');
    this.#journal = createMemoryJournal({
      clock: storeClock,
      newEpoch: () => String(epochs.next()),
    });
    // A session lasts longer than the bridge's interval for it (epochMs).
    this.views = createMemoryViews({ clock: storeClock, times: { sessionMs: 3 * times.epochMs } });
    this.user = new User({
      store: this.server.store,
      client: this.server.client,
      flows: scenario.flows,
      templateTtlSeconds: scenario.templateTtlSeconds,
      views: keepsNotes(scenario) ? this.views : undefined,
      flowType: this.server.flowType,
    });
    this.daemons = new DaemonWitness({
      store: () => this.store,
      nowMs: () => this.timeline.nowMs,
      creatorConfirmedAtMs: (job) => this.witness.creatorConfirmedAtMs(job),
      creatorLookedAtMs: (job) => this.witness.creatorLookedAtMs(job),
      enderLookedAtMs: (daemonJob) => this.witness.enderLookedAtMs(daemonJob),
    });
    const { fleet: plan } = scenario;
    this.fleet =
      plan &&
      new Fleet({
        plan,
        keepsNotes: keepsNotes(scenario),
        store: this.server.store,
        client: this.server.client,
        nodeType: this.server.nodeType,
        clock: new VirtualClock(this.timeline, cluster, this.#serverMachine),
        onNodeLost: (name) => this.#jobs.loseJobsOn(name),
      });
    this.policies = new PolicyWitness({
      store: () => this.store,
      isOurs: () => this.witness.isWriting,
      serverNowMs: () => this.nowMs,
      virtualNowMs: () => this.timeline.nowMs,
    });
    this.nights =
      scenario.nights &&
      new Nights({
        plan: scenario.nights,
        store: this.server.store,
        client: this.server.client,
        beginningMs: this.#serverMachine.wallMs,
        nowMs: () => this.nowMs,
      });
    this.queues =
      scenario.queues &&
      new Queues({
        plan: scenario.queues,
        api: this.server.api,
        client: this.server.client,
        timeline: this.timeline,
        clock: new VirtualClock(this.timeline, cluster, this.#controllersMachine),
        random: this.#random.branch('queues'),
      });
    this.wrapperWitness = new WrapperWitness({
      store: () => this.store,
      nowMs: () => this.timeline.nowMs,
      isOurs: () => this.witness.isWriting,
      creatorConfirmedAtMs: (object) => this.witness.creatorConfirmedAtMs(object),
      writerLookedAtMs: (object) => this.witness.writerLookedAtMs(object),
    });
    this.wrappers =
      scenario.wrappers &&
      new WrapperUser({
        plans: scenario.wrappers,
        store: this.server.store,
        client: this.server.client,
        onPodLost: (job) => this.#jobs.losePodOf(job),
      });
    this.queueWitness = new QueueWitness({
      isStray: (object) => this.wrapperWitness.isStray(object) || this.witness.isStray(object),
      store: () => this.store,
      cpu: scenario.queues?.cpu ?? Infinity,
    });
    this.processes = rolesOf(scenario).map(({ name, role }, index) => {
      const machine = machineOf(clocks?.processes[index % clocks.processes.length]);
      return new SimulatedProcess({ name, role, machine }, this.#context, this.#surroundings());
    });
    const { jobs, garbage } = this.#runControllers();
    this.#jobs = jobs;
    this.#garbage = garbage;
  }

  get store(): ObjectStore {
    return this.server.store;
  }

  /** The API server's time. */
  get nowMs(): number {
    return this.#serverMachine.wallMs;
  }

  /** Number of strikes of each fault, event and action. */
  get fired(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#tallies.flatMap((tally) => Object.entries(tally)));
  }

  /** Total number of strikes so far. */
  get struck(): number {
    return this.#tallies.reduce((sum, tally) => sum + sumOf(tally), 0);
  }

  /** No two of them count the same kind. */
  get #tallies(): readonly Readonly<Record<string, number>>[] {
    const { faults, happened, user, fleet, nights, queues, wrappers } = this;
    const others = [fleet, nights, queues, wrappers].map((each) => each?.done ?? {});
    return [faults.fired, happened, user.done, ...others];
  }

  /** Answers at once and never fails. */
  get client(): KubeClient {
    return this.server.client;
  }

  /** Schedules everything in the scenario, from its start to the time of calm. */
  begin(): void {
    const { flows, happenings } = this.scenario;
    this.#later(0, async () => {
      for (const name of templateNames) {
        // One of them may be missing at first.
        if (this.#random.branch(`template ${name}`).chance(0.9))
          await this.user.createTemplate(name);
      }
    });
    this.#later(0, async () => this.queues?.begin());
    for (const plan of flows) this.#later(plan.atMs, () => this.user.create(plan));
    this.#later(0, async () => this.fleet?.begin());
    for (const plan of this.scenario.fleet?.daemonJobs ?? []) {
      this.#later(plan.atMs, async () => this.fleet?.create(plan));
    }
    for (const plan of this.scenario.nights?.policies ?? []) {
      this.#later(plan.atMs, async () => this.nights?.createPolicy(plan));
    }
    for (const plan of this.scenario.nights?.jobs ?? []) {
      this.#later(plan.atMs, async () => this.nights?.createJob(plan));
    }
    for (const plan of this.scenario.wrappers ?? []) {
      this.#later(plan.atMs, async () => this.wrappers?.create(plan));
    }
    if (this.scenario.heartbeats === true) this.#letNodesBeat();
    this.#sendBookmarks(this.#random.branch('bookmarks'));
    for (const process of this.processes)
      this.timeline.after(0, cluster, 'start', () => process.start());
    for (const happening of happenings) {
      this.#later(happening.atMs, async () => this.#happen(happening));
    }
  }

  /**
   * From now on there are no faults or obstacles, and every process runs or soon wakes up. The clocks of the API
   * server and of the controllers are set to the latest time that either has shown. Otherwise their recorded times
   * would lie in the future and would have to be awaited. The processes' clocks stay wrong, because nothing may
   * depend on them.
   */
  async calm(): Promise<void> {
    this.#context.trace(cluster, () => 'CALM');
    this.faults.active = false;
    const machines = [this.#serverMachine, this.#controllersMachine];
    const latestMs = Math.max(...machines.map(({ latestOffsetMs }) => latestOffsetMs));
    for (const machine of machines) machine.setTo(latestMs);
    this.#controllers.stoppedUntilMs = 0;
    this.#disturbance.end();
    this.#garbage.reckonAgain();
    // A stopped process wakes up at its time, with its timers.
    for (const process of this.processes) process.start();
    await this.user.makePeace();
    await this.fleet?.makePeace();
    await this.nights?.makePeace();
    await this.queues?.makePeace();
    await this.wrappers?.makePeace();
    if (this.nights === undefined) return;
    this.#learnTime();
    this.#lookAfterNights(this.nights);
  }

  /**
   * Whether no process uses a time from before calm, when the API server's clock was set. At rest only policies
   * depend on the time.
   */
  get isTimeKnown(): boolean {
    return this.nights === undefined || this.#isTimeLearnt;
  }

  /** Finds what the processes are late for at the end of the run. */
  lastLook(): void {
    for (const process of this.processes) process.lastLook();
  }

  #contextOf({ trace }: WorldHooks): SimulationContext {
    return {
      timeline: this.timeline,
      faults: this.faults,
      underWay: this.underWay,
      traffic: this.traffic,
      random: this.#random.branch('chance'),
      latency: latencyOf(this.scenario.latency, this.#random.branch('latency')),
      trace: (life, text) => {
        if (trace === undefined) return;
        const seconds = (this.timeline.nowMs / 1_000).toFixed(3).padStart(9);
        trace(`${seconds} ${life.name.padEnd(14)} ${text()}`);
      },
      disturbance: this.#disturbance,
      crash: (life) => {
        const process = this.processes.find((candidate) => candidate.life === life);
        if (process !== undefined) this.#kill(process, this.#random.between(50, 5_000));
      },
    };
  }

  #queueOrder(): () => number {
    const random = this.#random.branch('queue');
    return () => (this.faults.strikes('itemReordered') ? random.next() : 0);
  }

  #surroundings(): Surroundings {
    const context = this.#context;
    const { records, batchLimit, concurrency, elects } = this.scenario;
    const blame = this.#hooks.onFault;
    const server = this.server.client;
    return {
      client: (life, time) =>
        simulatedClient({
          context,
          life,
          time,
          server,
          serverMachine: this.#serverMachine,
          openWatch: this.server.openWatch,
          pastList: (resource, options) =>
            this.server.pastList(resource, options, context.random.integer(1, 12)),
          witness: this.witness,
        }),
      queue: (life) =>
        simulatedQueue({ context, life, store: this.#queue, work: this.#work, blame }),
      journal: (life) => simulatedJournal(context, life, this.#journal),
      views: (life) =>
        this.scenario.storedViews === true
          ? simulatedViews(context, life, this.views, this.#random.branch(`views ${life.name}`))
          : undefined,
      remote: (life) =>
        remoteFunction(context, life, () =>
          this.processes.filter(({ role }) => role === 'function'),
        ),
      observer: {
        onPass: (pass) => {
          this.traffic.onPass(pass);
          this.witness.onPass(pass);
        },
        virtualNowMs: () => this.timeline.nowMs,
        revision: () => this.store.revision,
        knownVersion: (life, fn, uid) => this.witness.knownVersion(life, fn, uid),
        comparesDecisions: records,
        onDifference: this.#hooks.onFault,
      },
      election: elects === true ? this.#election(blame) : undefined,
      blame,
      functions: functionsOf(this.scenario),
      records,
      sweepMs: isUndisturbed(this.scenario) ? neverMs : times.sweepMs,
      batchLimit,
      concurrency,
      onExit: (process, error) => this.#exited(process, error),
    };
  }

  #election(blame: (fault: string) => void): Election {
    const lease = () => this.server.store.get(resources.Lease, namespace, leaseName);
    return { candidacies: this.#candidacies, lease, blame };
  }

  #runControllers(): { jobs: JobController; garbage: GarbageCollector } {
    const common = {
      store: this.server.store,
      timeline: this.timeline,
      life: this.#controllers,
      clock: new VirtualClock(this.timeline, cluster, this.#controllersMachine),
      random: this.#random.branch('controllers'),
    };
    const { podType: type, eventType } = this.server;
    const random = this.#random.branch('pods');
    const pods = new SimulatedPods({ ...common, type, eventType, random });
    const jobs = new JobController({
      ...common,
      pods,
      heartbeats: this.scenario.heartbeats === true,
      planOf: (job) => this.#planOf(job),
    });
    const garbage = new GarbageCollector(common);
    const wrapped = new WrappedPods({
      ...common,
      random: this.#random.branch('wrapped pods'),
      planOf: (pod) => this.wrappers?.planOf(pod),
    });
    this.server.store.onChange((event) => {
      this.witness.onChange(event);
      this.daemons.onChange(event);
      this.policies.onChange(event);
      this.wrapperWitness.onChange(event);
      this.queueWitness.onChange(event);
      this.queues?.onChange(event);
      jobs.onChange(event);
      garbage.onChange(event);
      wrapped.onChange(event);
    });
    return { jobs, garbage };
  }

  #planOf(job: KubeObject): JobPlan | undefined {
    const { metadata } = job;
    if (controllerOf(metadata)?.kind === 'AppWrapper') return this.wrappers?.planOf(job);
    if (controllerOf(metadata)?.kind === 'DaemonJob') return this.#planOnNode(metadata);
    const batch = this.scenario.nights?.jobs.find(({ name }) => name === metadata.name);
    if (batch !== undefined) return { failures: 0, runMs: batch.runMs };
    const flow = controllerOf(metadata)?.name;
    const step = metadata.labels?.[labels.step];
    const plan: FlowPlan | undefined = this.scenario.flows.find(({ name }) => name === flow);
    return plan?.steps.find(({ name }) => name === step);
  }

  /** Its Pod waits for a machine that is gone. */
  #planOnNode({ annotations: notes, ownerReferences }: KubeObject['metadata']): JobPlan {
    const node = notes?.[annotations.nodeName] ?? '';
    const owner = controllerOf({ ownerReferences: ownerReferences ?? [] })?.name;
    const plan = this.scenario.fleet?.daemonJobs.find(({ name }) => name === owner);
    const isThere = this.server.store.get(resources.Node, '', node) !== undefined;
    return {
      failures: plan?.fails.includes(node) === true ? 1 : 0,
      runMs: plan?.runMs ?? 0,
      ...(plan?.exitCode === undefined ? {} : { exitCode: plan.exitCode }),
      ...(plan?.trouble === undefined ? {} : { trouble: plan.trouble }),
      ...(isThere ? {} : { trouble: { kind: 'unschedulable', forMs: neverMs } }),
    };
  }

  /**
   * A Job that is gone before the first list leaves no trace without notes of creates. Only a sweep finds that
   * (sweep-1). In runs without sweeps, no Job is removed so early.
   */
  #isTooEarly({ kind }: Happening): boolean {
    const { layout, storedViews } = this.scenario;
    const isEnd = goneWithoutTrace.has(kind);
    const isNoted = layout === 'together' || storedViews === true;
    if (!isEnd || isNoted || !isUndisturbed(this.scenario)) return false;
    return !this.processes.some(({ bridge }) => bridge?.views.followed(resources.Job).synced);
  }

  #happen(happening: Happening): Promise<void> | void {
    if (this.#isTooEarly(happening)) return;
    this.#context.trace(cluster, () => `HAPPENS ${JSON.stringify(happening)}`);
    if (isFleetAction(happening)) return this.fleet?.act(happening);
    if (isNightAction(happening)) return this.nights?.act(happening);
    if (isQueueAction(happening)) return this.queues?.act(happening);
    if (isWrapperAction(happening)) return this.wrappers?.act(happening);
    if (isUserAction(happening)) return this.user.act(happening);
    if (happening.kind === 'holderCrash' || happening.kind === 'holderPause') {
      this.#happenToHolder(happening);
      return;
    }
    this.happened[happening.kind] = (this.happened[happening.kind] ?? 0) + 1;
    switch (happening.kind) {
      case 'crash': {
        this.#kill(this.#process(happening.process), happening.awayMs);
        return;
      }
      case 'pause': {
        this.#process(happening.process).pause(happening.forMs);
        return;
      }
      case 'rollout': {
        this.#process(happening.process).stop();
        return;
      }
      case 'clockJump':
        this.#process(happening.process).machine.set(happening.byMs);
        return;
      case 'serverClockJump':
        this.#serverMachine.set(happening.byMs);
        this.#controllersMachine.set(happening.byMs);
        return;
      case 'controllersClockJump':
        this.#controllersMachine.set(happening.byMs);
        return;
      case 'flushAll':
        this.#queue.clear();
        this.#journal.clear();
        this.views.clear();
        return;
      case 'compaction': {
        this.server.store.history.compact(this.server.store.revision);
        return;
      }
      case 'controllersAway':
        this.#controllers.stoppedUntilMs = Math.max(
          this.#controllers.stoppedUntilMs,
          this.timeline.nowMs + happening.forMs,
        );
        return;
      case 'nodeLost':
        this.#jobs.loseNode();
        return;
      case 'queueOutage':
        this.#disturbance.takeStoresAway(happening.forMs);
        for (const process of this.processes) process.disconnect(happening.forMs);
        return;
      case 'lateAnswers':
        this.#disturbance.answerLate(happening.forMs, happening.byMs);
    }
  }

  #happenToHolder(happening: Happening & { readonly kind: 'holderCrash' | 'holderPause' }): void {
    const holder = this.processes.find(({ holdsLease }) => holdsLease);
    if (holder === undefined) return;
    this.happened[happening.kind] = (this.happened[happening.kind] ?? 0) + 1;
    if (happening.kind === 'holderCrash') this.#kill(holder, happening.awayMs);
    else holder.pause(happening.forMs);
  }

  /**
   * An idle process would use the old time once, long afterwards. An answer that was written before calm and read
   * after it is believed at once (clock-4).
   */
  #learnTime(): void {
    if (this.#isTimeLearnt) return;
    for (const process of this.processes) process.learnTime(this.nowMs);
    this.#isTimeLearnt = !this.underWay.hasSentBefore(this.scenario.calmFromMs);
  }

  /** While transitions may be ahead. */
  #lookAfterNights(nights: Nights): void {
    this.#later(nightLookMs, async () => {
      this.#learnTime();
      await nights.lookAfter();
      if (this.timeline.nowMs > this.scenario.calmFromMs + this.#nightSweptMs) this.policies.look();
      if (this.timeline.nowMs < this.scenario.calmFromMs + nightEndMs)
        this.#lookAfterNights(nights);
    });
  }

  /** A wedged process continues only after the watchdog has found it. */
  get #nightSweptMs(): number {
    return nightSweptMs + ((this.faults.fired.takeWedged ?? 0) > 0 ? wedgedMs : 0);
  }

  /** More often than kubelets do, until nothing has to be written any more. */
  #letNodesBeat(): void {
    this.#later(nodeBeatMs, async () => {
      if (this.timeline.nowMs >= this.scenario.calmFromMs) return;
      this.fleet?.beat();
      this.#letNodesBeat();
    });
  }

  /** As the API server does about once a minute, even to idle watches. */
  #sendBookmarks(random: SeededRandom): void {
    this.timeline.after(random.between(20_000, 60_000), cluster, 'bookmarks', () => {
      this.server.sendBookmarks();
      this.#sendBookmarks(random);
    });
  }

  #process(index: number): SimulatedProcess {
    return this.processes[index % this.processes.length]!;
  }

  #kill(process: SimulatedProcess, awayMs: number): void {
    process.crash();
    this.timeline.after(awayMs, cluster, 'restart', () => process.start());
  }

  /** A process that ends by itself is restarted, as a pod is. */
  #exited(process: SimulatedProcess, fault: Error | undefined): void {
    this.#context.trace(cluster, () => `${process.name} ended ${fault?.message ?? ''}`);
    if (fault !== undefined)
      this.#hooks.onFault(`watchdog-1: ${process.name} ended: ${fault.message}`);
    this.timeline.after(500, cluster, 'restart', () => process.start());
  }

  #later(delayMs: number, act: () => Promise<void>): void {
    this.timeline.after(delayMs, cluster, 'user', () => {
      act().catch((error: unknown) =>
        this.#hooks.onFault(
          `the simulation itself: ${String(error)} ${(error as Error).stack ?? ''}`,
        ),
      );
    });
  }
}

function sumOf(tally: Readonly<Record<string, number>>): number {
  let sum = 0;
  for (const kind in tally) sum += tally[kind] ?? 0;
  return sum;
}

function rolesOf({ layout, replicas }: Scenario): readonly { name: string; role: Role }[] {
  const roles: readonly Role[] =
    layout === 'together' ? ['together'] : ['bridge', 'dispatcher', 'function'];
  const suffixes = replicas === 2 ? ['a', 'b'] : ['a'];
  return roles.flatMap((role) => suffixes.map((suffix) => ({ name: `${role}-${suffix}`, role })));
}

function isUserAction(happening: Happening): happening is UserAction {
  return ([...userActions, ...limitActions] as readonly string[]).includes(happening.kind);
}
