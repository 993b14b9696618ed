/** Chooses the objects that may run when there is not enough capacity for all. Pure arithmetic over amounts. */
import type { Uid } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { type Amounts, amountsOf, fits, minus, plus } from './capacity.ts';
import { unseenUntilMs } from './let-in.ts';
import { inStartingOrder, inSuspendingOrder, isOverdue, latestFirst } from './order.ts';
import type { Situation } from './situation.ts';
import { type Governed, hasPlace, takesRoom } from './standing.ts';
import type { Wish } from './wish.ts';

/** Wishes by uid, for each object in `open`. The other objects in `all` take capacity too while they run. */
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
  /** Objects that run or are let in already, in no particular order. */
  #running: readonly SelectedObject[];
  readonly #all: readonly Governed[];
  /** Amounts of objects that run or will run. */
  #used: Amounts = {};
  /** Amounts of suspended objects with Pods: they keep their capacity until the Pods are gone. */
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
   * More may run than the capacity allows, because it arrived unsuspended or the capacity was lowered. An object that
   * never fits is suspended in any case, and no other one for its sake.
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

  /** Suspends objects of lower priority if that is enough. Also true if enough is leaving already. */
  #makeRoomFor(object: SelectedObject): boolean {
    if (this.#situation.policy.spec.preemption?.mode !== 'LowerPriority') return false;
    const amounts = amountsOf(object);
    const victims: SelectedObject[] = [];
    let used = this.#used;
    // An object that is just starting may be suspended once it is seen to run. Before, its end could not be seen.
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

/** An object that has not started loses nothing. */
function hasRunEnough(situation: Situation, object: SelectedObject): boolean {
  const dueMs = mayGiveWayMs(situation, object);
  return dueMs === undefined || dueMs <= situation.nowMs;
}

/** When it has run its minimum and may give way to another object. Undefined: it has not started. */
export function mayGiveWayMs(
  { policy }: Situation,
  { startedAt }: SelectedObject,
): number | undefined {
  const startedMs = parseTime(startedAt);
  const { minRunSeconds = 0 } = policy.spec.preemption ?? {};
  return startedMs === undefined ? undefined : startedMs + minRunSeconds * 1_000;
}
