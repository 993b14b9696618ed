import type { Journal } from '#shared/journal/journal.ts';
import type { SimulationContext } from './simulation-context.ts';
import { unavailable } from './simulated-queue.ts';
import type { Life } from './timeline.ts';

/**
 * The journal for one process: a call takes a while and may fail before or after its effect. Call
 * and answer are one entry, because the journal is not read in between.
 */
export function simulatedJournal(context: SimulationContext, life: Life, store: Journal): Journal {
  const { timeline, faults, latency, random, disturbance } = context;
  const call = <Answer>(label: string, run: () => Promise<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      timeline.after(latency(), life, label, () => {
        if (disturbance.storesAreAway) {
          reject(unavailable());
          return;
        }
        if (faults.strikes('crashAtStore')) {
          if (random.chance(0.5)) void run();
          context.crash(life);
          return;
        }
        if (!faults.strikes('journalUnavailable')) {
          resolve(run());
          return;
        }
        if (random.chance(0.5)) void run();
        reject(unavailable());
      });
    });
  return {
    append: (records) => call('journal append', () => store.append(records)),
    read: (after, limit) => store.read(after, limit),
    epoch: () => call('journal epoch', () => store.epoch()),
    close: async () => undefined,
  };
}
