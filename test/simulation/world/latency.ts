/** Delays of messages in virtual milliseconds, which determine their order. */
import type { SeededRandom } from '../seeded-random.ts';

/**
 * `calm`: as on one machine. `busy`: some are much slower than others. `wild`: any order, from a
 * fraction of a millisecond to seconds.
 */
export const latencyProfiles = ['calm', 'busy', 'wild'] as const;
export type LatencyProfile = (typeof latencyProfiles)[number];

export function latencyOf(profile: LatencyProfile, random: SeededRandom): () => number {
  switch (profile) {
    case 'calm':
      return () => random.between(0.2, 3);
    case 'busy':
      return () => (random.chance(0.04) ? random.between(100, 2_000) : random.between(0.5, 40));
    case 'wild':
      return () => Math.exp(random.between(Math.log(0.2), Math.log(2_500)));
  }
}
