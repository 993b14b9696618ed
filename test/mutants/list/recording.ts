/** Bugs in what is kept of decisions: how much, what not, and what can be made of it again. */
import type { Mutant } from '../mutant.ts';

const recorderTest = 'shared/runtime/function/decision-recorder.test.ts';
const journalTest = 'test/contract/journal.test.ts';

export const recordingMutants: readonly Mutant[] = [
  {
    name: 'bounds the journal in Redis by entries only',
    file: 'shared/journal/redis-scripts.ts',
    find: 'if bytes <= maxBytes then break end',
    replacement: 'if bytes <= maxBytes * 1000 then break end',
    tests: [journalTest],
  },
  {
    name: 'stops with a Redis that has no memory left',
    file: 'shared/journal/redis-scripts.ts',
    find: "if string.find(reply.err, 'OOM', 1, true) then",
    replacement: "if string.find(reply.err, 'NONE', 1, true) then",
    tests: [journalTest],
  },
  {
    name: 'reads a record whose base is gone as if it stood for itself',
    file: 'shared/journal/decision-reader.ts',
    find: 'nothing : states.get(record.base);',
    replacement: 'nothing : (states.get(record.base) ?? nothing);',
    tests: [recorderTest, 'functions/flow-advance/recording.test.ts'],
  },
];
