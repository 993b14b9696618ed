import { pino } from 'pino';
import { expect, it } from 'vitest';
import { shutDownOnSignal } from './shutdown.ts';
import { testHost } from '../testing/host-process.ts';

it('exits with 1 when stopping takes longer than its deadline', async () => {
  const host = testHost();
  shutDownOnSignal({
    process: host,
    logger: pino({ level: 'silent' }),
    deadlineMs: 30,
    stop: () => new Promise(() => undefined),
  });
  host.signal('SIGTERM');
  expect(await host.exited).toBe(1);
});
