/**
 * The stored views for one process: a call takes a while and may fail before or after its effect. It draws
 * its delays and faults separately, so that runs without stored views are unchanged.
 */
import type { ViewStore } from '#shared/views/view-store.ts';
import type { Seal } from '#shared/views/seal.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulationContext } from './simulation-context.ts';
import { unavailable } from './simulated-queue.ts';
import { cluster, type Life } from './timeline.ts';

/** A process does not read views for this time after a failure, by its own clock, which may be slow. */
const leftAloneMs = 1_100;

export function simulatedViews(
  context: SimulationContext,
  life: Life,
  store: ViewStore,
  random: SeededRandom,
): ViewStore {
  const { timeline, faults, disturbance } = context;
  const wayMs = (): number => random.between(0.1, 3);
  // One connection: requests arrive and are answered in order.
  let arrivesAtMs = 0;
  let answeredAtMs = 0;
  const fails = (reject: (error: Error) => void): void => {
    life.viewsAwayUntilMs = timeline.nowMs + leftAloneMs;
    reject(unavailable());
  };
  const call = <Answer>(label: string, run: () => Promise<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        answeredAtMs = Math.max(answeredAtMs, timeline.nowMs + wayMs());
        timeline.at(answeredAtMs, life, label, then);
      };
      arrivesAtMs = Math.max(arrivesAtMs, timeline.nowMs + wayMs());
      timeline.at(arrivesAtMs, cluster, label, () => {
        if (!life.alive && random.chance(0.5)) return;
        if (disturbance.storesAreAway || faults.strikes('viewsUnavailable')) {
          settle(() => fails(reject));
          return;
        }
        const isAnswerLost = faults.strikes('viewsReplyLost');
        void run().then((answer) => settle(() => (isAnswerLost ? fails(reject) : resolve(answer))));
      });
    });
  return {
    hold: (session, takesOver) => call('views hold', () => store.hold(session, takesOver)),
    release: (session) => call('views release', () => store.release(session)),
    write: (session, writes) => call('views write', () => store.write(session, writes)),
    note: (root, notes) => call('views note', () => store.note(root, notes)),
    notes: (root) => call('views notes', () => store.notes(root)),
    read: (root, known) => call('views read', () => store.read(root, known)),
    close: async () => undefined,
  };
}

/** No other process writes here. */
export const openSeal: Seal = { close: (content) => content, open: (sealed) => sealed };
