/** Bugs in the reports why a step waits or how it failed. */
import type { Mutant } from '../mutant.ts';

const decide = 'functions/flow-advance/decide';
const holdUpTests = [`${decide}/hold-up.test.ts`];
const publishTests = [
  'functions/bridge/publish.test.ts',
  'functions/flow-advance/subscription/fingerprint.test.ts',
];

export const waitingMutants: readonly Mutant[] = [
  {
    name: 'goes on telling of a problem that has passed',
    file: `${decide}/steps.ts`,
    find: 'const { reason, message } = state;\n  if (reason === undefined)',
    replacement: `const { reason = record.reason, message = record.message } = state;
  if (reason === undefined)`,
    tests: holdUpTests,
  },
  {
    name: 'writes a problem anew when the cluster tells it in other words',
    file: 'shared/domain/hold-up.ts',
    find: 'return essenceOf({ reason, message }) === essenceOf(holdUp);',
    replacement: 'return message === holdUp.message;',
    tests: holdUpTests,
  },
  {
    name: 'takes back what a replica with a faster clock has reported',
    file: 'shared/domain/hold-up.ts',
    find: 'if (isSame(record, holdUp)) return keptFrom(record, holdUp);',
    replacement:
      'if (dueMs <= place.nowMs && isSame(record, holdUp)) return keptFrom(record, holdUp);',
    tests: holdUpTests,
  },
  {
    name: 'wakes a flow whenever the scheduler counts its nodes',
    file: 'shared/subscription/fingerprint.ts',
    find: ': [trouble.reason, essenceOf(trouble)];',
    replacement: ': [trouble.reason, trouble.message];',
    tests: publishTests,
  },
];
