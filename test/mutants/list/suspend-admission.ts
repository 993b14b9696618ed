/** Bugs in what suspend-admission holds, and in what it lets nobody write. */
import type { Mutant } from '../mutant.ts';

const folder = 'functions/suspend-admission';
const decide = `${folder}/decide`;
const lookUp = `${folder}/look-up`;
const creationTests = [`${folder}/suspend-on-creation.test.ts`];
const ownerTests = [`${folder}/kueue-table.test.ts`];
const markTests = [`${folder}/check-mark.test.ts`];
const burstTests = ['test/functions/burst-under-capacity.test.ts'];
const queueTests = [`${folder}/check-queue.test.ts`];

export const suspendAdmissionMutants: readonly Mutant[] = [
  {
    name: 'loses the annotations of what it suspends',
    file: `${folder}/decide.ts`,
    find: 'const own = { ...annotationsOf(object), ...annotations };',
    replacement: 'const own = { ...annotations };',
    tests: creationTests,
  },
  {
    name: 'holds at its creation what somebody lets run',
    file: `${decide}/hold-on.ts`,
    find: "if (override?.wants === 'Run') return undefined;",
    replacement: '',
    tests: creationTests,
  },
  {
    name: 'suspends at its creation although only what is submitted suspended is to be taken',
    file: `${decide}/hold-on.ts`,
    find: "if (policy.adopt === 'Suspended' && override === undefined) return undefined;",
    replacement: '',
    tests: creationTests,
  },
  {
    name: 'lets run at its creation what there is no room for',
    file: `${decide}/hold-on.ts`,
    find: "return hasRoom ? undefined : 'CapacityFull';",
    replacement: 'return undefined;',
    tests: creationTests,
  },
  {
    name: 'goes at a creation by policies that only report, or that go',
    file: `${folder}/look-up.ts`,
    find: '    .filter(isFollowed)\n',
    replacement: '',
    tests: creationTests,
  },
  {
    name: 'forgets what it has just let in',
    file: `${lookUp}/room.ts`,
    find: '(status.running ?? 0) + letIn.length < (maxJobs ?? 0)',
    replacement: '(status.running ?? 0) < (maxJobs ?? 0)',
    tests: creationTests,
  },
  {
    name: 'lets one in past what waits',
    file: `${lookUp}/room.ts`,
    find: 'status.held !== 0 || isUntold(answered.heldMs)',
    replacement: 'isUntold(answered.heldMs)',
    tests: creationTests,
  },
  {
    name: 'lets one in past what it has held just now',
    file: `${lookUp}/room.ts`,
    find: 'status.held !== 0 || isUntold(answered.heldMs)',
    replacement: 'status.held !== 0',
    tests: creationTests,
  },
  {
    name: 'does not tell that one was let in that may be stored later',
    file: `${lookUp}/room.ts`,
    find: '...(letInMs === undefined ? {} : { letInMs })',
    replacement: '',
    tests: burstTests,
  },
  {
    name: 'goes by a status of before the policy was edited',
    file: `${lookUp}/room.ts`,
    find: ' && status.observedGeneration === metadata.generation;',
    replacement: ';',
    tests: creationTests,
  },
  {
    name: 'takes room for a trial',
    file: `${lookUp}/room.ts`,
    find: 'if (!isTrial) {',
    replacement: '{',
    tests: creationTests,
  },
  {
    name: 'counts for ever what it has let in',
    file: `${lookUp}/room.ts`,
    find: 'atMs > toldMs && atMs > nowMs - longestMs',
    replacement: 'atMs > nowMs - longestMs',
    tests: creationTests,
  },
  {
    name: 'counts what it let in and what never came, as long as no status tells of it',
    file: `${lookUp}/room.ts`,
    find: 'atMs > toldMs && atMs > nowMs - longestMs',
    replacement: 'atMs > toldMs',
    tests: creationTests,
  },
  {
    name: 'suspends what is admitted with its owner',
    file: `${decide}/waits-in-queue.ts`,
    find: 'if (owners.some(({ queue }) => managesUnlabelled || queue !== undefined)) return false;',
    replacement: '',
    tests: ownerTests,
  },
  {
    name: 'suspends in a namespace that Kueue does not manage',
    file: `${decide}/waits-in-queue.ts`,
    find: 'if (!isManaged) return false;',
    replacement: '',
    tests: ownerTests,
  },
  {
    name: 'takes a new owner under the name of an old one for the owner',
    file: `${lookUp}/owners.ts`,
    find: 'if (owner?.metadata.uid !== next.uid) break;',
    replacement: 'if (owner === undefined) break;',
    tests: ownerTests,
  },
  {
    name: 'lets a mark come with what is created to run',
    file: `${folder}/check-mark.ts`,
    find: 'const isForged = annotations.suspendedBy in annotationsOf(object) && !isSuspended(object);',
    replacement: 'const isForged = false;',
    tests: markTests,
  },
  {
    name: 'refuses the mark that admission itself writes',
    file: `${folder}/check-mark.ts`,
    find: 'const isForged = annotations.suspendedBy in annotationsOf(object) && !isSuspended(object);',
    replacement: 'const isForged = annotations.suspendedBy in annotationsOf(object);',
    tests: markTests,
  },
  {
    name: 'lets what is held be resumed and moved out of its policy at once',
    file: `${folder}/check-mark.ts`,
    find: '...(isMarked && isResumed && isRelabelled ?',
    replacement: '...(isMarked && isResumed && !isRelabelled ?',
    tests: markTests,
  },
  {
    name: 'lets anybody resume what waits in a queue',
    file: `${folder}/check-queue.ts`,
    find: 'mayAdmit === false ?',
    replacement: 'mayAdmit === undefined ?',
    tests: queueTests,
  },
  {
    name: 'lets what runs change its queue',
    file: `${decide}/queue-rules.ts`,
    find: '...(isRunning ? kept(queueLabel) : []),',
    replacement: '...(isRunning ? [] : kept(queueLabel)),',
    tests: queueTests,
  },
  {
    name: 'takes a queue for the steps of what waits as a whole',
    file: `${decide}/queue-rules.ts`,
    find: 'return [...own, ...twoQueuesErrors(submission.object)];',
    replacement: 'return own;',
    tests: queueTests,
  },
  {
    name: 'lets a priority class be added to what runs',
    file: `${decide}/queue-rules.ts`,
    find: "if (before === '' && after !== '' && isRunning) {",
    replacement: "if (before === '' && after !== '' && !isRunning) {",
    tests: queueTests,
  },
  {
    name: 'lets a gate be added after the creation',
    file: `${decide}/admission-gates.ts`,
    find: "before !== '' && gatesIn(after).some((gate) => !known.has(gate));",
    replacement: "before === '' && gatesIn(after).some((gate) => !known.has(gate));",
    tests: queueTests,
  },
];
