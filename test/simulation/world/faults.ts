/** Random faults of operations. Each kind counts its strikes. */
import type { SeededRandom } from '../seeded-random.ts';

/**
 * Probability of each fault at each occasion, at full strength. A scenario takes some of them and a
 * strength, so that rare combinations get runs of their own (swarm testing).
 */
export const faultRates = {
  // a request to the API server
  conflict: 0.08,
  tooManyRequests: 0.06,
  internalError: 0.06,
  forbidden: 0.1,
  requestLost: 0.05,
  replyLost: 0.1,
  crashBeforeWrite: 0.04,
  crashAfterWrite: 0.05,
  slowRequest: 0.03,
  // lists and watches of the bridge
  listExpired: 0.2,
  staleList: 0.25,
  watchRefused: 0.15,
  watchExpired: 0.03,
  watchBroken: 0.03,
  watchClosed: 0.04,
  watchFrozen: 0.01,
  watchDelayed: 0.04,
  // queue, journal, delivery
  itemDropped: 0.15,
  itemDuplicated: 0.1,
  itemDelayed: 0.06,
  itemReordered: 1,
  queueUnavailable: 0.05,
  queueReplyLost: 0.06,
  journalUnavailable: 0.05,
  leaseLost: 0.06,
  deliveryUnreachable: 0.06,
  deliveryReplyLost: 0.06,
  deliveryDuplicated: 0.08,
  crashAtStore: 0.02,
  // views for functions that run apart
  viewsUnavailable: 0.05,
  viewsReplyLost: 0.05,
  // the election
  leaseAnswerLate: 0.15,
  // the watchdog
  takeWedged: 0.02,
  depthUnavailable: 0.1,
} as const;

export type FaultKind = keyof typeof faultRates;
export const faultKinds = Object.keys(faultRates) as readonly FaultKind[];

/** Drawn from their own sequences, so that older kinds keep their results for the same seeds. */
export const kindsDrawnApart: readonly FaultKind[] = [
  'leaseAnswerLate',
  'takeWedged',
  'depthUnavailable',
];

/** Only for runs with stored views. */
export const kindsOfViews: readonly FaultKind[] = ['viewsUnavailable', 'viewsReplyLost'];

/** A fault of a scenario: its probability, and the number of strikes after which it stops. */
export interface FaultSetting {
  readonly rate: number;
  readonly limit?: number;
}
export type FaultSettings = { readonly [Kind in FaultKind]?: FaultSetting };

export class Faults {
  /** False before and after the period of faults. */
  active = true;
  readonly fired: Partial<Record<FaultKind, number>> = {};
  readonly #settings: FaultSettings;
  readonly #random: ReadonlyMap<FaultKind, SeededRandom>;

  constructor(settings: FaultSettings, random: SeededRandom) {
    this.#settings = settings;
    const kinds = Object.keys(settings) as readonly FaultKind[];
    // One sequence each, so that removing one kind hardly changes the others.
    this.#random = new Map(kinds.map((kind) => [kind, random.branch(kind)]));
  }

  /** Whether the kind may strike now. */
  has(kind: FaultKind): boolean {
    return this.active && this.#settings[kind] !== undefined;
  }

  strikes(kind: FaultKind): boolean {
    const setting = this.#settings[kind];
    if (setting === undefined || !this.active) return false;
    if (this.#random.get(kind)?.chance(setting.rate) !== true) return false;
    const fired = this.fired[kind] ?? 0;
    if (setting.limit !== undefined && fired >= setting.limit) return false;
    this.fired[kind] = fired + 1;
    return true;
  }
}
