/**
 * I18: decisions use the API server's time, whatever the process's clock shows. Each decision is compared with the
 *      server's clock at that moment. The tolerance is what an observer with the same answers could not have known.
 */
import type { Machine } from '../world/machine.ts';
import type { Pass } from '../model/kind-model.ts';
import type { DatedAnswer } from '../world/simulated-client.ts';
import type { Life, Timeline } from '../world/timeline.ts';

/** Dates of answers have whole seconds; rounding loses one millisecond. */
const resolutionMs = 1_001;
/** Outside the simulation two clocks drift apart more slowly than this. */
const soundDriftPerMs = 0.001;
/** So many later answers in a row are believed. */
const believedAfter = 3;

interface HeardAnswer extends DatedAnswer {
  /** Its time on the way back by the server's clock, in milliseconds; the process's own clock may differ. */
  readonly backMs: number;
}

/** The latest answers that a process has read, newest first. */
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

  /** No process can know that the server's clock was set back after its last answer. */
  #mostAhead([last]: Heard, driftPerMs: number): number {
    const { askedMs, writtenMs } = last!;
    const setBackMs = this.#server
      .settingsSince(writtenMs)
      .reduce((sum, byMs) => sum + Math.max(0, -byMs), 0);
    if (driftPerMs <= soundDriftPerMs) return resolutionMs + setBackMs;
    const unheardMs = (this.#timeline.nowMs - askedMs) * driftPerMs;
    return resolutionMs + setBackMs + unheardMs + (writtenMs - askedMs) + resolutionMs;
  }

  /** As late as the answers are old or were on their way. No limit until one is believed. */
  #mostBehind(heard: Heard, driftPerMs: number): number {
    const oldestMs = Math.min(...heard.map(({ writtenMs }) => writtenMs));
    const isSettled = heard.length === believedAfter;
    if (!isSettled || this.#server.settingsSince(oldestMs).length > 0) return Infinity;
    const ageMs = this.#timeline.nowMs - oldestMs;
    const backMs = Math.max(...heard.map((answer) => answer.backMs));
    return resolutionMs + ageMs * (soundDriftPerMs + driftPerMs) + backMs;
  }
}
