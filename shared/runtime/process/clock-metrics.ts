import { Gauge, type Registry } from 'prom-client';

/** Shows how far this machine's clock is off; `aheadMs` is asked when the metrics are collected. */
export function exposeClock(registry: Registry, clock: { readonly aheadMs: number }): void {
  new Gauge({
    name: 'millrace_clock_offset_seconds',
    help: "How far the machine's clock is ahead of the API server's; 0 until a difference is measured.",
    registers: [registry],
    collect() {
      this.set(clock.aheadMs / 1_000);
    },
  });
}
