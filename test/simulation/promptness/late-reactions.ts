/**
 * promptness-1: every due write is made in time. Each write that is due from a commit or a time on must be
 *      committed within the patience. Until then it is checked at every relevant commit, and when a time
 *      comes.
 */
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { Onlooker, Timeline } from '../world/timeline.ts';
import { type Owed, owedTo, type PromptKind } from './owed.ts';
import { refusedMs } from './patience.ts';

interface Debt {
  /** Virtual milliseconds. */
  readonly sinceMs: number;
  readonly cause: string;
}

/** The known facts about one object. */
interface Account {
  readonly prompt: PromptKind;
  debts: ReadonlyMap<string, Debt>;
  /** The last commit. Undefined: time has passed since the last check. */
  cause: string | undefined;
  /** Whether a part waits for the cluster to permit its Job. */
  isRefused: boolean;
  /** When a part last waited, in virtual milliseconds. */
  refusedAtMs: number;
  /** When to check again, in virtual milliseconds. */
  dueMs: number;
}

export interface LateReactionsOptions {
  readonly timeline: Timeline;
  readonly store: ObjectStore;
  /** The kinds whose promptness is judged. */
  readonly kinds: readonly PromptKind[];
  /** The API server's time in milliseconds since the epoch. */
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
    const { kinds, timeline } = this.#options;
    const own = kinds.find(({ judged }) =>
      judged.fn.subscription.decides.some(({ kind }) => kind === object.kind),
    );
    if (own !== undefined) this.#accountOf(object.metadata.uid, own);
    const concerned = this.#concerned(resourceType.plural, object);
    for (const account of concerned) {
      account.cause = cause;
      this.#lookAgain(account, timeline.nowMs);
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

  #concerned(plural: string, { metadata }: KubeObject): readonly Account[] {
    const owner = plural === 'jobs' ? controllerOf(metadata)?.uid : metadata.uid;
    return [...this.#accounts].flatMap(([uid, account]) => {
      // A refused part may wait for the name of any Job.
      const mayFree = plural === 'jobs' && account.isRefused;
      const isConcerned = account.prompt.concernedBy.includes(plural);
      return uid === owner || mayFree || isConcerned ? [account] : [];
    });
  }

  async #lookAt(uid: string, account: Account): Promise<void> {
    const { store, timeline, serverNowMs, noticesRemovals } = this.#options;
    const object = store.byUid(uid)?.object;
    if (object === undefined || object.metadata.name === 'poison') {
      this.#accounts.delete(uid);
      return;
    }
    const nowMs = serverNowMs();
    const owed = await owedTo(account.prompt, object, store, { nowMs, noticesRemovals });
    account.isRefused = owed.isRefused;
    if (owed.isRefused) account.refusedAtMs = timeline.nowMs;
    account.debts = this.#debtsOf(account, owed);
    account.cause = undefined;
    for (const [write, debt] of account.debts) this.#demand(object, account, write, debt);
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
      `promptness-1: ${metadata.name} is owed "${write}" since ${since}, allowed ${Math.round(grantedMs)} ms`,
    );
  }

  #lookAgain(account: Account, atMs: number): void {
    account.dueMs = Math.min(account.dueMs, atMs);
    this.dueMs = Math.min(this.dueMs, atMs);
  }

  #accountOf(uid: string, prompt: PromptKind): Account {
    const known = this.#accounts.get(uid);
    if (known !== undefined) return known;
    const account: Account = {
      prompt,
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
