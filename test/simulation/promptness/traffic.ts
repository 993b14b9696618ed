/** What one run asks of the API server and of the queue, and what for. */
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { isEmptyPlan } from '#shared/domain/plan.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { cannotBeUndone } from '#shared/runtime/function/view-check.ts';
import { daemonFanout } from '#functions/daemon-fanout/function.ts';
import type { DaemonSnapshot } from '#functions/daemon-fanout/snapshot.ts';
import { flowAdvance } from '#functions/flow-advance/function.ts';
import { namesToLookAt } from '#functions/flow-advance/observe/needs.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import { startsByHand } from '../model/template-resolution.ts';
import type { Machine } from '../world/machine.ts';
import type { Pass } from '../model/kind-model.ts';

/**
 * So many looks in a row that the clock alone has asked for, and that find nothing, are no accident, nor are
 * so many more at the same moment: where clocks drift apart each wait ends a little early, and the next is that
 * much shorter. A machine whose clock is another one begins that anew.
 */
const mostFruitlessLooks = 3;

interface FruitlessLooks {
  readonly looks: number;
  /** Of the same moment as the look before, where clocks drift apart. */
  readonly repeated: number;
  /** What the last of them waits for, milliseconds since the epoch. */
  readonly dueMs: number | undefined;
  readonly machines: ReadonlySet<Machine>;
}

export interface TrafficOptions {
  /** How many faults have struck. */
  readonly fired: () => number;
  readonly clocksDiffer: boolean;
}

/** What is asked of the API server: `get jobflows`, `watch jobs`. */
export type RequestKind = `${'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete'} ${string}`;

/** What the passes of one function asked for. */
export class Passes {
  /** Items of work that were taken from the queue. */
  taken = 0;
  /** Passes that read what they decide on; those of them that found the object gone. */
  observed = 0;
  gone = 0;
  /** Templates that passes looked at; those of them that were not there. */
  templates = 0;
  missingTemplates = 0;
  /** Templates of looks that followed one at a view that was behind, or at a start by hand: those ask the API server. */
  freshTemplates = 0;
  /** Jobs of which passes had to ask by name whether they are there, or who has the name. */
  doubtfulJobs = 0;
  /** Nodes that they had to ask for by name: a Job is there, and no list has it, or another machine of the name. */
  doubtfulNodes = 0;
  /** Decisions that create or remove what no version of the object fences. */
  final = 0;
  /** Decisions that take it for granted that there are no more Jobs than were read. */
  absent = 0;
  /** Creates that were refused, as the decisions made anew were told. */
  refused = 0;

  /** Decided anew after a conflict or a refusal. */
  get rounds(): number {
    return Math.max(0, this.observed - this.taken);
  }
}

export class Traffic {
  readonly faults: string[] = [];
  /** Items of work that the queue was given. */
  added = 0;
  readonly #passes = new Map<string, Passes>();
  readonly #requests = new Map<RequestKind, number>();
  /** Objects that were added since they were taken last, by uid. */
  readonly #waiting = new Set<string>();
  /** Objects that were looked at since they were taken last, by uid. */
  readonly #looked = new Set<string>();
  /** Whether the clock alone has asked for the latest look at an object. */
  readonly #timed = new Map<string, boolean>();
  readonly #fruitless = new Map<string, FruitlessLooks>();
  readonly #options: TrafficOptions;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** By the name of the function. */
  passesOf(name: string): Passes {
    const passes = this.#passes.get(name) ?? new Passes();
    this.#passes.set(name, passes);
    return passes;
  }

  asks(verb: string, { plural }: Resource): void {
    const kind = `${verb} ${plural}` as RequestKind;
    this.#requests.set(kind, this.count(kind) + 1);
  }

  count(kind: RequestKind): number {
    return this.#requests.get(kind) ?? 0;
  }

  /** The queue has been given them. */
  adds(items: readonly WorkItem[]): void {
    this.added += items.length;
    for (const { key } of items) this.#waiting.add(key.uid);
  }

  /** Whoever took it stood still for longer than a lease lasts: no clock asks for the next look. */
  comesBack({ key }: WorkItem): void {
    this.#waiting.add(key.uid);
  }

  takes({ key, function: name }: WorkItem): void {
    this.passesOf(name).taken += 1;
    this.#looked.delete(key.uid);
    this.#timed.set(key.uid, !this.#waiting.delete(key.uid));
  }

  onObserved({ fn }: JudgedKind, snapshot: unknown): void {
    const passes = this.passesOf(fn.subscription.name);
    passes.observed += 1;
    if (snapshot === undefined) passes.gone += 1;
    else if (fn === flowAdvance) this.#onFlow(snapshot as FlowSnapshot, passes);
    else if (fn === daemonFanout) onDaemonJob(snapshot as DaemonSnapshot, passes);
  }

  #onFlow(snapshot: FlowSnapshot, passes: Passes): void {
    const templates = Object.values(snapshot.templates);
    passes.templates += templates.length;
    const { uid } = snapshot.flow.metadata;
    const isFresh = this.#looked.has(uid) || startsByHand(snapshot.flow);
    if (isFresh) passes.freshTemplates += templates.length;
    this.#looked.add(uid);
    passes.missingTemplates += templates.filter((template) => template === null).length;
    passes.doubtfulJobs += snapshot.confirmedMissing.length + namesToLookAt(snapshot.flow).length;
  }

  onPass(pass: Pass): void {
    const passes = this.passesOf(pass.kind.fn.subscription.name);
    const { kind, snapshot, decision } = pass;
    if (cannotBeUndone(decision.plan)) passes.final += 1;
    if (kind.fn.takesForAbsent?.(snapshot, decision) !== undefined) passes.absent += 1;
    passes.refused += (snapshot as Pick<FlowSnapshot, 'rejections'>).rejections.length;
    this.#noteFruitless(pass);
  }

  /** PR2: nobody looks again and again although nothing was due. */
  #noteFruitless({ about: { name, uid }, snapshot, decision, machine }: Pass): void {
    const { heldNames } = snapshot as Pick<FlowSnapshot, 'heldNames'>;
    // No event tells that the name of a step's Job is free.
    const hasFound = !isEmptyPlan(decision.plan) || heldNames !== undefined;
    if (hasFound || this.#timed.get(uid) !== true) {
      this.#fruitless.delete(uid);
      return;
    }
    const before = this.#fruitless.get(uid);
    const { fired, clocksDiffer } = this.#options;
    const dueMs = decision.requeueAtMs;
    const isRepeated = clocksDiffer && before !== undefined && before.dueMs === dueMs;
    const repeated = isRepeated ? before.repeated + 1 : 0;
    const looks = (before?.looks ?? 0) + (isRepeated ? 0 : 1);
    const machines = new Set([...(before?.machines ?? []), machine]);
    this.#fruitless.set(uid, { looks, repeated, dueMs, machines });
    const most = mostFruitlessLooks * (clocksDiffer ? machines.size : 1);
    const inARow = Math.max(looks, repeated);
    if (inARow > most + fired()) {
      this.faults.push(
        `PR2: the clock alone asked to look at ${name} ${inARow} times in a row, for nothing`,
      );
    }
  }
}

function onDaemonJob({ nodes, jobs, confirmedMissing }: DaemonSnapshot, passes: Passes): void {
  const names = new Set(nodes.map(({ name }) => name));
  const lost = jobs.filter(
    (job) => !isFinishedJob(job) && !names.has(job.annotations[annotations.nodeName] ?? ''),
  );
  const machines = new Set<string | undefined>(nodes.map(({ uid }) => uid));
  const replaced = jobs.filter(
    (job) =>
      job.deletionTimestamp === undefined &&
      names.has(job.annotations[annotations.nodeName] ?? '') &&
      !machines.has(job.labels[labels.nodeUid]),
  );
  passes.doubtfulNodes += lost.length + replaced.length;
  passes.doubtfulJobs += confirmedMissing.length;
}
