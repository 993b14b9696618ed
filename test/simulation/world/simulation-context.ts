/** What all parts of one simulated world share. */
import type { Traffic } from '../promptness/traffic.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Disturbance } from './disturbance.ts';
import type { Faults } from './faults.ts';
import type { RequestsUnderWay } from './requests-under-way.ts';
import type { Life, Timeline } from './timeline.ts';

export interface SimulationContext {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Reads and writes of objects; lists and watches change nothing by themselves. */
  readonly underWay: RequestsUnderWay;
  readonly random: SeededRandom;
  readonly disturbance: Disturbance;
  readonly traffic: Traffic;
  /** The next delay on the way, in milliseconds. */
  readonly latency: () => number;
  /** One line of the trace; nothing is built when nobody reads it. */
  readonly trace: (life: Life, text: () => string) => void;
  /** Ends a process as SIGKILL does; it comes back later. */
  readonly crash: (life: Life) => void;
}
