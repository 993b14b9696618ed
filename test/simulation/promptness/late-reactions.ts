/**
 * PR1: what is owed to a flow is done in time. Each write that is owed from one commit on, or from the
 * time on at which it fell due, has to be committed before patience is over; until then it is looked
 * after at every commit that concerns the flow, and when something falls due.
 */
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import { flowsOf } from '../flow-objects.ts';
import type { Onlooker, Timeline } from '../world/timeline.ts';
import { type Owed, owedTo } from './owed.ts';
import { refusedMs } from './patience.ts';

interface Debt {
  /** Virtual milliseconds. */
  readonly sinceMs: number;
  readonly cause: string;
}

/** What is known of one flow. */
interface Account {
  debts: ReadonlyMap<string, Debt>;
  /** What was committed last; undefined: time has passed since somebody looked. */
  cause: string | undefined;
  /** Whether a step waits for the cluster to allow its Job. */
  isRefused: boolean;
  /** When one waited last, virtual milliseconds. */
  refusedAtMs: number;
  /** When to look again, virtual milliseconds. */
  dueMs: number;
}

export interface LateReactionsOptions {
  readonly timeline: Timeline;
  readonly store: ObjectStore;
  /** As the API server has it, milliseconds since the epoch. */
  readonly serverNowMs: () => number;
  /** Whether functions read from views. */
  readonly noticesRemovals: boolean;
  /** Virtual milliseconds. */
  readonly patienceMs: number;
}

export class LateReactions implements Onlooker {
  readonly faults: string[] = [];
  dueMs = Infinity;
  readonly #options: LateReactionsOptions;
  readonly #accounts = new Map<string, Account>();

  constructor(options: LateReactionsOptions) {
    this.#options = options;
  }

  onChange({ type, object, resourceType }: StoreEvent): void {
    const cause = `${type} ${object.kind} ${object.metadata.name}`;
    for (const uid of this.#concerned(resourceType.plural, object)) {
      const account = this.#accountOf(uid);
      account.cause = cause;
      this.#lookAgain(account, this.#options.timeline.nowMs);
    }
  }

  async look(): Promise<void> {
    const { nowMs } = this.#options.timeline;
    for (const [uid, account] of this.#accounts) {
      if (account.dueMs > nowMs) continue;
      account.dueMs = Infinity;
      await this.#lookAt(uid, account);
    }
    this.dueMs = Math.min(...[...this.#accounts.values()].map(({ dueMs }) => dueMs));
  }

  #concerned(plural: string, { metadata }: KubeObject): readonly string[] {
    switch (plural) {
      case 'jobflows':
        return [metadata.uid];
      case 'jobs':
        return [...this.#refused(), ...ownersOf(metadata)];
      case 'jobtemplates':
        return flowsOf(this.#options.store).map((flow) => flow.metadata.uid);
      default:
        return [];
    }
  }

  /** Flows that may wait for the name of any Job. */
  #refused(): readonly string[] {
    return [...this.#accounts].flatMap(([uid, { isRefused }]) => (isRefused ? [uid] : []));
  }

  async #lookAt(uid: string, account: Account): Promise<void> {
    const { store, timeline, serverNowMs, noticesRemovals } = this.#options;
    const flow = store.byUid(uid)?.object;
    if (flow === undefined || flow.metadata.name === 'poison') {
      this.#accounts.delete(uid);
      return;
    }
    const nowMs = serverNowMs();
    const owed = await owedTo(flow, store, { nowMs, noticesRemovals });
    account.isRefused = owed.isRefused;
    if (owed.isRefused) account.refusedAtMs = timeline.nowMs;
    account.debts = this.#debtsOf(account, owed);
    account.cause = undefined;
    for (const [write, debt] of account.debts) this.#demand(flow, account, write, debt);
    if (owed.nextMs !== undefined) {
      this.#lookAgain(account, timeline.nowMs + Math.max(1, owed.nextMs - nowMs));
    }
  }

  #debtsOf({ debts, cause = 'time' }: Account, { writes }: Owed): Account['debts'] {
    const fresh = { sinceMs: this.#options.timeline.nowMs, cause };
    return new Map(writes.map((write) => [write, debts.get(write) ?? fresh]));
  }

  #demand({ metadata }: KubeObject, account: Account, write: string, debt: Debt): void {
    const { timeline, patienceMs } = this.#options;
    const { sinceMs, cause } = debt;
    const grantedMs = patienceMs + (account.refusedAtMs >= sinceMs ? refusedMs : 0);
    if (timeline.nowMs < sinceMs + grantedMs) {
      this.#lookAgain(account, sinceMs + grantedMs);
      return;
    }
    const since = `${(sinceMs / 1_000).toFixed(3)} s (${cause})`;
    this.faults.push(
      `PR1: ${metadata.name} is owed "${write}" since ${since}, allowed ${Math.round(grantedMs)} ms`,
    );
  }

  #lookAgain(account: Account, atMs: number): void {
    account.dueMs = Math.min(account.dueMs, atMs);
    this.dueMs = Math.min(this.dueMs, atMs);
  }

  #accountOf(uid: string): Account {
    const known = this.#accounts.get(uid);
    if (known !== undefined) return known;
    const account = {
      debts: new Map(),
      cause: undefined,
      isRefused: false,
      refusedAtMs: -Infinity,
      dueMs: Infinity,
    };
    this.#accounts.set(uid, account);
    return account;
  }
}

function ownersOf(metadata: KubeObject['metadata']): readonly string[] {
  const owner = controllerOf(metadata);
  return owner === undefined ? [] : [owner.uid];
}
