/** The suites that need no server, for judging mutants: in a given order, and counting when asked to. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

const order = JSON.parse(process.env['MILLRACE_TEST_ORDER'] ?? '[]') as readonly string[];
const isCounting = process.env['MILLRACE_REACH'] !== undefined;
/** Counting takes its time. */
const timeout = isCounting ? { testTimeout: 60_000 } : {};
const setupFiles = isCounting ? ['test/mutants/generated/record-reach.ts'] : [];

/** Those first that know the code best. */
class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      order.findIndex((file) => moduleId.endsWith(`/${file}`));
    return [...files].sort((left, right) => rank(left) - rank(right));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: InGivenOrder },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          ...timeout,
          // Of every room, that of the next one too: whose suites are left out, whose bugs survive.
          include: ['{functions,shared}/**/*.test.ts'],
          exclude: ['functions/millrace/**/!(asked-about).test.ts'],
        },
      },
      {
        test: {
          // Without its Redis: what needs it is skipped.
          name: 'contract',
          setupFiles,
          include: ['test/contract/work-queue.test.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
