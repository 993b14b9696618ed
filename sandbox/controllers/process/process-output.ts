/** The output of a process, line by line with the time of each, up to a limit. */
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '#shared/domain/clock.ts';
import type { LogLine } from '../../api/pod-logs.ts';

type Stream = 'stdout' | 'stderr';

// About ten times the log of a usual step. The rest is dropped, and the log says so.
const mostLines = 100_000;

export class ProcessOutput {
  readonly #clock: Clock;
  readonly #lines: LogLine[] = [];
  readonly #open: Record<Stream, string> = { stdout: '', stderr: '' };
  readonly #decoders: Record<Stream, StringDecoder> = {
    stdout: new StringDecoder('utf8'),
    stderr: new StringDecoder('utf8'),
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  add(stream: Stream, bytes: Buffer): void {
    const parts = (this.#open[stream] + this.#decoders[stream].write(bytes)).split('\n');
    this.#open[stream] = parts.pop() ?? '';
    for (const part of parts) this.#push(part);
  }

  /** Output without a final newline is a line as well. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = this.#open[stream] + this.#decoders[stream].end();
      if (text !== '') this.#push(text);
      this.#open[stream] = '';
    }
  }

  #push(text: string): void {
    if (this.#lines.length > mostLines) return;
    const isLast = this.#lines.length === mostLines;
    const shown = isLast ? `the log ends here: it has ${mostLines} lines` : text;
    this.#lines.push({ atMs: this.#clock.now(), text: shown });
  }
}
