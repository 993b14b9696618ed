/** The output of a demonstration, with the time since its start. */
const startedAt = performance.now();

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Time since the start: `12.3s`. */
export function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)}s`;
}

/** The text with the time since the start in front. */
export function step(line: string): void {
  say(`${elapsed().padStart(6)}  ${line}`);
}
