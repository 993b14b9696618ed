/** Progress on standard error: one line that is redrawn on a terminal, else a line every five seconds. */
import { counted } from '#shared/domain/wording.ts';

export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const terminalMs = 100;
const plainMs = 5_000;
const barWidth = 20;

export interface Progress {
  /** Call this often. `share` is the done part of the whole, from 0 to 1. Absent: the total is unknown. */
  readonly advance: (done: number, share?: number) => void;
  /** Removes the progress line. */
  readonly end: () => void;
}

export function showProgress(output: ProgressOutput, monotonicMs: () => number): Progress {
  const startMs = monotonicMs();
  const isTerminal = output.isTTY === true;
  const everyMs = isTerminal ? terminalMs : plainMs;
  let nextMs = startMs + everyMs;
  let isShown = false;
  return {
    advance: (done, share) => {
      const nowMs = monotonicMs();
      if (nowMs < nextMs) return;
      nextMs = nowMs + everyMs;
      const text = progressText(done, share, nowMs - startMs);
      if (!isTerminal) output.write(`${text}\n`);
      else output.write(`\r${share === undefined ? '' : `${bar(share)} `}${text}\u001b[K`);
      isShown = isTerminal;
    },
    end: () => {
      if (isShown) output.write('\r\u001b[K');
      isShown = false;
    },
  };
}

function progressText(done: number, share: number | undefined, tookMs: number): string {
  const rate = `${counted(done, 'decision')}, ${Math.round((done / tookMs) * 1_000)} a second`;
  if (share === undefined || share <= 0) return rate;
  const leftSeconds = Math.ceil((tookMs * (1 - share)) / share / 1_000);
  return `${Math.floor(share * 100)} %, ${rate}, ${leftSeconds} s left`;
}

function bar(share: number): string {
  const filled = Math.floor(share * barWidth);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
}
