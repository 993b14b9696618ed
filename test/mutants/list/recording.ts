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
    name: 'bounds the journal in memory by entries only',
    file: 'shared/journal/memory-journal.ts',
    find: 'bytes <= bounds.maxBytes &&',
    replacement: 'bytes <= bounds.maxBytes * 1000 &&',
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
    name: 'never lets a record stand for itself again',
    file: 'shared/runtime/function/decision-memory.ts',
    find: 'if (bytesSince >= whole.bytes) return true;',
    replacement: 'if (bytesSince >= whole.bytes * 1e9) return true;',
    tests: [recorderTest],
  },
  {
    name: 'tells changes from a record that the journal has dropped',
    file: 'shared/runtime/function/decision-memory.ts',
    find: 'oldest > whole.position || oldest < whole.oldest) return true;',
    replacement: 'oldest === whole.oldest) return false;',
    tests: [recorderTest],
  },
  {
    name: 'reads a record whose base is gone as if it stood for itself',
    file: 'shared/journal/decision-reader.ts',
    find: 'nothing : states.get(record.base);',
    replacement: 'nothing : (states.get(record.base) ?? nothing);',
    tests: [recorderTest, 'functions/flow-advance/recording.test.ts'],
  },
  {
    name: 'remembers a requeue that was taken back',
    file: 'shared/runtime/function/decision-recorder.ts',
    find: 'if (requeueAtMs === undefined) requeues.delete(uid);',
    replacement: 'if (requeueAtMs === undefined) return;',
    tests: [recorderTest],
  },
  {
    name: 'keeps the fields that an environment variable does not have',
    file: 'shared/domain/redact.ts',
    find: '...(hasValue ? { value: redacted } : {}),',
    replacement: "...rest, ...('value' in rest ? { value: redacted } : {}),",
    tests: ['shared/domain/redact.test.ts'],
  },
  {
    name: 'lets a refusal quote the environment',
    file: 'shared/kube/quoted-values.ts',
    find: 'if (hidden === detail) return error;',
    replacement: 'if (hidden.length >= 0) return error;',
    tests: [
      'shared/kube/quoted-values.test.ts',
      'shared/kube/apply-plan.test.ts',
      'shared/kube/apply-create.test.ts',
    ],
  },
  {
    name: 'adds the time of a decision to how long it took',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'rounded(decidedMs - observedMs)',
    replacement: 'rounded(decidedMs + observedMs)',
    tests: ['shared/runtime/function/decision-round.test.ts'],
  },
  {
    name: 'records a decision anew each time that it is made again',
    file: 'shared/runtime/function/decision-recorder.ts',
    find: 'else requeues.set(uid, requeueAtMs);',
    replacement: 'else requeues.delete(uid);',
    tests: [recorderTest],
  },
  {
    name: 'counts nothing of what was written before a fault',
    file: 'shared/kube/apply-plan.ts',
    find: 'return { ...ending, writes, notes, warnings };',
    replacement: 'return { ...ending, writes: [], notes, warnings };',
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
  {
    name: 'keeps a review whole however large its objects are',
    file: 'shared/runtime/admission/review-journal.ts',
    find: 'return bytes <= largestBytes ? whole : withoutObjects(whole, bytes);',
    replacement: 'return bytes > 0 ? whole : withoutObjects(whole, bytes);',
    tests: ['shared/runtime/admission/review-journal.test.ts'],
  },
  {
    name: 'warns of an Event that was not written when there was none to write',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'if (notes.length > 0) logger.warn(',
    replacement: 'if (notes.length >= 0) logger.warn(',
    tests: ['shared/runtime/function/decision-round.test.ts'],
  },
];
