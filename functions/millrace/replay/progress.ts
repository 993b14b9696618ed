/** Progress on standard error: one line that is written anew on a terminal, else a line every five seconds. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const terminalMs = 100;
const plainMs = 5_000;

/** `advance` is called as often as something was done; `end` removes the line. */
export function showProgress(
  output: ProgressOutput,
  monotonicMs: () => number,
): { readonly advance: (done: number) => void; readonly end: () => void } {
  const startMs = monotonicMs();
  const everyMs = output.isTTY === true ? terminalMs : plainMs;
  let nextMs = startMs + everyMs;
  let isShown = false;
  return {
    advance: (done) => {
      const nowMs = monotonicMs();
      if (nowMs < nextMs) return;
      nextMs = nowMs + everyMs;
      const rate = Math.round((done / (nowMs - startMs)) * 1_000);
      const text = `${done} decisions, ${rate} a second`;
      output.write(output.isTTY === true ? `\r${text}\u001b[K` : `${text}\n`);
      isShown = output.isTTY === true;
    },
    end: () => {
      if (isShown) output.write('\r\u001b[K');
      isShown = false;
    },
  };
}
