import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Burst, runBurst } from './burst/simulated-burst.ts';

const bursts: fc.Arbitrary<Burst> = fc.record({
  maxJobs: fc.integer({ min: 1, max: 4 }),
  jobs: fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 0, 0, 5, 50, 400, 1_500),
      storedMs: fc.constantFrom(1, 2, 5, 20, 300, 1_000),
      runsMs: fc.constantFrom(30_000, 30_000, 500, 2_500),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  viewMs: fc.constantFrom(1, 10, 100, 500),
  writeMs: fc.constantFrom(1, 10, 100),
  policyMs: fc.constantFrom(1, 10, 100, 500),
});

it('a burst never exceeds a capacity, in whichever order the API server stores it, and all of it runs', async () => {
  await fc.assert(
    fc.asyncProperty(bursts, async (burst) => {
      const { mostAtOnce, neverRan } = await runBurst(burst);
      expect(mostAtOnce).toBeLessThanOrEqual(burst.maxJobs);
      expect(neverRan).toBe(0);
    }),
    { numRuns: 500 },
  );
});
