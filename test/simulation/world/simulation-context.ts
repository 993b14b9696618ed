/** The common parts of one simulated world. */
import type { Traffic } from '../promptness/traffic.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Disturbance } from './disturbance.ts';
import type { Faults } from './faults.ts';
import type { RequestsUnderWay } from './requests-under-way.ts';
import type { Life, Timeline } from './timeline.ts';

export interface SimulationContext {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Reads and writes of objects. Lists and watches change nothing by themselves. */
  readonly underWay: RequestsUnderWay;
  readonly random: SeededRandom;
  readonly disturbance: Disturbance;
  readonly traffic: Traffic;
  /** The next delay of a message, in milliseconds. */
  readonly latency: () => number;
  /** One line of the trace. The text is built only if the trace is read. */
  readonly trace: (life: Life, text: () => string) => void;
  /** Ends a process like SIGKILL; it returns later. */
  readonly crash: (life: Life) => void;
}
