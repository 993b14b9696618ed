/** Who may run while there is not room for all: pure bookkeeping over amounts. */
import type { Uid } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { type Amounts, amountsOf, fits, minus, plus } from './capacity.ts';
import { unseenUntilMs } from './let-in.ts';
import { inStartingOrder, inSuspendingOrder, isOverdue, latestFirst } from './order.ts';
import type { Situation } from './situation.ts';
import { type Governed, hasPlace, takesRoom } from './standing.ts';
import type { Wish } from './wish.ts';

/** By uid, for each of those in `open`; `all` take up room as well while they run. */
export function admit(
  situation: Situation,
  limit: Amounts,
  all: readonly (Governed & { readonly wish?: Wish })[],
  open: readonly Governed[],
): ReadonlyMap<Uid, Wish> {
  const room = new Room(situation, limit, all, open);
  room.giveWay();
  room.fill();
  return room.wishes;
}

class Room {
  readonly wishes = new Map<Uid, Wish>();
  readonly #situation: Situation;
  readonly #limit: Amounts;
  readonly #waiting: readonly SelectedObject[];
  /** What runs or is let in already, in no particular order. */
  #running: readonly SelectedObject[];
  readonly #all: readonly Governed[];
  /** What runs, or is to run. */
  #used: Amounts = {};
  /** What is suspended and still has Pods: the room is theirs until they are gone. */
  #leaving: Amounts = {};

  constructor(
    situation: Situation,
    limit: Amounts,
    all: readonly (Governed & { readonly wish?: Wish })[],
    open: readonly Governed[],
  ) {
    this.#situation = situation;
    this.#limit = limit;
    this.#all = all;
    const objects = open.map(({ object }) => object);
    this.#waiting = objects.filter((object) => !hasPlace(object));
    this.#running = objects.filter(hasPlace);
    for (const each of all) {
      const { object, wish } = each;
      const isToRun = wish?.kind === 'run' || (hasPlace(object) && wish?.kind !== 'hold');
      if (!takesRoom(each)) continue;
      if (isToRun) this.#used = plus(this.#used, amountsOf(object));
      else if (object.isActive) this.#leaving = plus(this.#leaving, amountsOf(object));
    }
    for (const object of this.#running) this.wishes.set(object.uid, { kind: 'run' });
  }

  /**
   * More runs than there is room for: it came by itself, or the capacity was lowered. What never fits has to go
   * in any case, and nothing else goes for its sake.
   */
  giveWay(): void {
    for (const object of this.#running) {
      if (!fits(this.#limit, amountsOf(object))) this.#suspend(object, 'Unschedulable');
    }
    const isLowestFirst = this.#situation.policy.spec.preemption?.mode === 'LowerPriority';
    const order = isLowestFirst ? inSuspendingOrder(this.#running) : latestFirst(this.#running);
    for (const object of order) {
      if (fits(this.#limit, this.#used)) return;
      this.#suspend(object, 'CapacityFull');
    }
  }

  fill(): void {
    let isBlocked = unseenUntilMs(this.#situation, this.#waiting) !== undefined;
    let place = 0;
    const isStrict = this.#situation.policy.spec.order?.strategy !== 'BestEffortFIFO';
    for (const object of inStartingOrder(this.#situation, this.#waiting, this.#all)) {
      const amounts = amountsOf(object);
      if (!fits(this.#limit, amounts)) {
        this.wishes.set(object.uid, { kind: 'hold', reason: 'Unschedulable' });
        continue;
      }
      if (!isBlocked && fits(this.#limit, plus(plus(this.#used, this.#leaving), amounts))) {
        this.wishes.set(object.uid, { kind: 'run' });
        this.#used = plus(this.#used, amounts);
        continue;
      }
      place += 1;
      this.wishes.set(object.uid, { kind: 'hold', reason: 'CapacityFull', place });
      if (isBlocked) continue;
      const makesRoom = this.#makeRoomFor(object);
      isBlocked = makesRoom || isStrict || isOverdue(this.#situation, object);
    }
  }

  /** Suspends what is of lower priority, if that is enough; also true when enough is leaving already. */
  #makeRoomFor(object: SelectedObject): boolean {
    if (this.#situation.policy.spec.preemption?.mode !== 'LowerPriority') return false;
    const amounts = amountsOf(object);
    const victims: SelectedObject[] = [];
    let used = this.#used;
    // What is just being let in gives way once it is seen to run: until then nobody could tell that it did.
    const candidates = this.#running.filter(({ isStarting }) => isStarting !== true);
    for (const candidate of inSuspendingOrder(candidates)) {
      if (fits(this.#limit, plus(used, amounts))) break;
      if (candidate.priority >= object.priority) break;
      if (!hasRunEnough(this.#situation, candidate)) continue;
      victims.push(candidate);
      used = minus(used, amountsOf(candidate));
    }
    if (!fits(this.#limit, plus(used, amounts))) return false;
    victims.forEach((victim) => this.#suspend(victim, 'CapacityFull'));
    return true;
  }

  #suspend(object: SelectedObject, reason: 'CapacityFull' | 'Unschedulable'): void {
    this.wishes.set(object.uid, { kind: 'hold', reason });
    this.#running = this.#running.filter(({ uid }) => uid !== object.uid);
    this.#used = minus(this.#used, amountsOf(object));
    this.#leaving = plus(this.#leaving, amountsOf(object));
  }
}

/** What has not started has done nothing that would be lost. */
function hasRunEnough(situation: Situation, object: SelectedObject): boolean {
  const dueMs = mayGiveWayMs(situation, object);
  return dueMs === undefined || dueMs <= situation.nowMs;
}

/** When it has run as long as it has to before it gives way to another one; undefined: it has not started. */
export function mayGiveWayMs(
  { policy }: Situation,
  { startedAt }: SelectedObject,
): number | undefined {
  const startedMs = parseTime(startedAt);
  const { minRunSeconds = 0 } = policy.spec.preemption ?? {};
  return startedMs === undefined ? undefined : startedMs + minRunSeconds * 1_000;
}
