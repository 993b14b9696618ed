/** What a demonstration prints, and how long it has been running. */
const startedAt = performance.now();

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Since the start: `12.3s`. */
export function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)}s`;
}

/** With the time since the start before it. */
export function step(line: string): void {
  say(`${elapsed().padStart(6)}  ${line}`);
}
