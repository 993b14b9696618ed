/** Keeps the event loop busy for `forMs` milliseconds, in turns of `turnMs` each. */
export function keepLoopBusy(forMs: number, turnMs: number): void {
  const untilMs = performance.now() + forMs;
  const burn = (): void => {
    const turnEndsMs = performance.now() + turnMs;
    while (performance.now() < turnEndsMs);
    if (performance.now() < untilMs) setImmediate(burn);
  };
  burn();
}
