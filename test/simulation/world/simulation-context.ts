/** What all parts of one simulated world share. */
import type { SeededRandom } from '../seeded-random.ts';
import type { Faults } from './faults.ts';
import type { Life, Timeline } from './timeline.ts';

export interface SimulationContext {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly random: SeededRandom;
  /** The next delay on the way, in milliseconds. */
  readonly latency: () => number;
  /** One line of the trace; nothing is built when nobody reads it. */
  readonly trace: (life: Life, text: () => string) => void;
  /** Ends a process as SIGKILL does; it comes back later. */
  readonly crash: (life: Life) => void;
}
