/** The sandbox as its users run it: through HTTP, with its controllers, three nodes and Millrace's kinds. */
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { KubeletLogs, listen, newToken } from '#sandbox';
import { startSandbox } from '#functions/millrace/up/start-sandbox.ts';
import { pino } from 'pino';

export interface LocalSandbox {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

export async function startLocalSandbox(): Promise<LocalSandbox> {
  const clock = systemClock;
  const logger = pino({ level: 'fatal' });
  const cluster = await startSandbox({ clock, random: Math.random, logger, nodes: 3 });
  const logs = new KubeletLogs(cluster.runtime, clock);
  const token = newToken();
  const front = await listen({ api: cluster.api, logs, token, host: '127.0.0.1', port: 0 });
  return {
    url: front.url,
    token,
    stop: async () => {
      await front.close();
      await cluster.stop();
    },
  };
}
