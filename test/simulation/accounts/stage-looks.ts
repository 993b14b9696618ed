/**
 * Whether a plan that took long looked at its object again before what cannot be undone: when it had to, and only
 * then.
 */
import type { Uid } from '#shared/domain/objects.ts';
import type { Stage } from '#shared/domain/plan.ts';
import type { Exchange } from './exchange.ts';
import { isFinal } from './final-operation.ts';
import type { FreshLook } from './round.ts';

/** An answer of the API server is believed for so long, milliseconds. */
export const believedMs = 1_000;

export interface StageLooksParts {
  /** After those before the first write. */
  readonly looks: readonly FreshLook[];
  readonly uid: Uid;
  /** Of the object as it was decided on. */
  readonly version: string | undefined;
  /** When it was known last to be at that version, by the monotonic clock of the machine, milliseconds. */
  readonly knownAtMs: number;
}

export interface StageLook {
  /** When it was answered, in the order of what is sent and answered; -Infinity: there was none. */
  readonly endedAt: number;
  readonly error?: unknown;
  readonly isChanged: boolean;
  readonly faults: readonly string[];
}

const none: StageLook = { endedAt: -Infinity, isChanged: false, faults: [] };

export class StageLooks {
  readonly #looks: FreshLook[];
  readonly #uid: Uid;
  #version: string | undefined;
  #knownAtMs: number;

  constructor({ looks, uid, version, knownAtMs }: StageLooksParts) {
    this.#looks = [...looks];
    this.#uid = uid;
    this.#version = version;
    this.#knownAtMs = knownAtMs;
  }

  /** Not asked for by any stage. */
  get left(): number {
    return this.#looks.length;
  }

  /** `first`: the first request of the stage; undefined: nothing of it was sent. */
  before(stage: Stage, first: Exchange | undefined): StageLook {
    const next = this.#looks[0];
    const look =
      next !== undefined && next.askedAt < (first?.sentAt ?? Infinity) ? next : undefined;
    const beganMs = look?.askedAtMs ?? first?.askedAtMs;
    if (!stage.some(isFinal) || beganMs === undefined) return none;
    const isDue = beganMs - this.#knownAtMs > believedMs;
    const faults =
      isDue === (look !== undefined)
        ? []
        : [isDue ? 'did not look again' : 'looked again too soon'];
    if (look === undefined) return { ...none, faults };
    this.#looks.shift();
    const { answer } = look;
    this.#knownAtMs = answer?.atMs ?? Infinity;
    const endedAt = answer?.at ?? Infinity;
    if (answer?.error !== undefined)
      return { endedAt, error: answer.error, isChanged: false, faults };
    return { endedAt, isChanged: !isAsKnown(answer, this.#uid, this.#version), faults };
  }

  /** What was written on the object itself is no change to it. */
  wrote({ end }: Exchange): void {
    const metadata = end?.object?.metadata;
    if (metadata?.uid === this.#uid) this.#version = metadata.resourceVersion;
  }
}

/** Whether a look found the object, and at this version. */
export function isAsKnown(
  answer: FreshLook['answer'],
  uid: Uid,
  version: string | undefined,
): boolean {
  const metadata = answer?.object?.metadata;
  return metadata?.uid === uid && metadata.resourceVersion === version;
}
