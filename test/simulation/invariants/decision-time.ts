/**
 * I18: decisions are made by the API server's time, whatever the clock of the process shows. Judged
 * against the server's clock as it is at the moment of each decision; what is allowed is what an
 * observer with the same answers could not have known.
 */
import type { Machine } from '../world/machine.ts';
import type { Pass } from '../model/kind-model.ts';
import type { DatedAnswer } from '../world/simulated-client.ts';
import type { Life, Timeline } from '../world/timeline.ts';

/** Dates of answers have whole seconds; one millisecond is lost by rounding. */
const resolutionMs = 1_001;
/** Faster than this two clocks do not drift apart outside of the simulation. */
const soundDriftPerMs = 0.001;
/** So many answers in a row that say that it is later are believed. */
const believedAfter = 3;

interface HeardAnswer extends DatedAnswer {
  /** So long it was on its way back by the server's clock, whatever its own one showed the process, milliseconds. */
  readonly backMs: number;
}

/** The latest answers that a process has read, the last one first. */
type Heard = readonly HeardAnswer[];

export class DecisionTimes {
  readonly #timeline: Timeline;
  readonly #server: Machine;
  readonly #heard = new Map<string, Heard>();

  constructor(timeline: Timeline, server: Machine) {
    this.#timeline = timeline;
    this.#server = server;
  }

  heard(life: Life, answer: DatedAnswer): void {
    const earlier = this.#heard.get(life.name) ?? [];
    const backMs = (this.#timeline.nowMs - answer.writtenMs) * this.#server.rate;
    this.#heard.set(life.name, [{ ...answer, backMs }, ...earlier.slice(0, believedAfter - 1)]);
  }

  faultsOf({ life, machine, nowMs }: Pass): readonly string[] {
    const heard = this.#heard.get(life.name);
    if (heard === undefined) return ['I18: decided by a clock that no answer has confirmed'];
    const aheadMs = nowMs - this.#server.wallMs;
    const driftPerMs = Math.abs(machine.rate - this.#server.rate);
    const mostMs = this.#mostAhead(heard, driftPerMs);
    if (aheadMs > mostMs) return [`I18: decided ${Math.round(aheadMs - mostMs)} ms too early`];
    const leastMs = -this.#mostBehind(heard, driftPerMs);
    return aheadMs < leastMs ? [`I18: decided ${Math.round(leastMs - aheadMs)} ms too late`] : [];
  }

  /** What nobody can know is that the server was set back after it wrote the last answer. */
  #mostAhead([last]: Heard, driftPerMs: number): number {
    const { askedMs, writtenMs } = last!;
    const setBackMs = this.#server
      .settingsSince(writtenMs)
      .reduce((sum, byMs) => sum + Math.max(0, -byMs), 0);
    if (driftPerMs <= soundDriftPerMs) return resolutionMs + setBackMs;
    const unheardMs = (this.#timeline.nowMs - askedMs) * driftPerMs;
    return resolutionMs + setBackMs + unheardMs + (writtenMs - askedMs) + resolutionMs;
  }

  /** As late as the answers are old or were on their way; no limit until one is believed. */
  #mostBehind(heard: Heard, driftPerMs: number): number {
    const oldestMs = Math.min(...heard.map(({ writtenMs }) => writtenMs));
    const isSettled = heard.length === believedAfter;
    if (!isSettled || this.#server.settingsSince(oldestMs).length > 0) return Infinity;
    const ageMs = this.#timeline.nowMs - oldestMs;
    const backMs = Math.max(...heard.map((answer) => answer.backMs));
    return resolutionMs + ageMs * (soundDriftPerMs + driftPerMs) + backMs;
  }
}
