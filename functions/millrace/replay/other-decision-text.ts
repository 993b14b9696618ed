import { decidedText } from '../journal/decision-line.ts';
import { valueText } from './replay-text.ts';
import type { OtherDecision } from './other-decision.ts';
import type { DecidedSo } from './replay-schema.ts';

/** Three lines per decision. Following equal differences of the same object are only counted. */
export class OtherDecisionText {
  readonly #say: (line: string) => void;
  #last = '';
  #more = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  add(other: OtherDecision): void {
    const { time, function: name, object, before, after } = other;
    const where = [object.kind, object.namespace, object.name].filter((part) => part !== '');
    const head = `${name} ${where.join('/')}`;
    const [was, would] = [textOf(before, time), textOf(after, time)];
    // Both texts may be equal although the written contents differ.
    const lines =
      was === would ? [`  ${changeText(other)}`] : [`  was:   ${was}`, `  would: ${would}`];
    const text = [head, ...lines].join('\n');
    if (text === this.#last) {
      this.#more += 1;
      return;
    }
    this.end();
    this.#last = text;
    for (const line of [`${time} ${head}`, ...lines]) this.#say(line);
  }

  end(): void {
    if (this.#more > 0) this.#say(`  and ${this.#more} more like it`);
    this.#more = 0;
    this.#last = '';
  }
}

function textOf(decided: DecidedSo, time: string): string {
  return decided.fault === undefined
    ? decidedText({ ...decided, time })
    : `it fails: ${decided.fault}`;
}

function changeText({ difference }: OtherDecision): string {
  return `${difference?.path ?? ''}: was ${valueText(difference?.before)}, would be ${valueText(difference?.after)}`;
}
