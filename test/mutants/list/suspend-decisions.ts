/** Bugs in starting and stopping work: by suspend-schedule and its schedules, and by admissions of Kueue. */
import type { Mutant } from '../mutant.ts';

const folder = 'functions/suspend-schedule';
const decide = `${folder}/decide`;
const decideTests = [`${folder}/decide.test.ts`];
const admitTests = [`${decide}/admit.test.ts`];
const scheduleTests = [
  'shared/schedule/schedule-times.test.ts',
  'shared/schedule/time-zone.test.ts',
];

export const suspendMutants: readonly Mutant[] = [
  {
    name: 'resumes before it is on record what is let in',
    file: `${folder}/decide.ts`,
    find: '? { before: [otherEvents, transition], after: [announced, done] }',
    replacement: '? { before: [otherEvents, announced, done, transition], after: [] }',
    tests: admitTests,
  },
  {
    name: 'takes what was let in for what waits once it was suspended anew',
    file: `${folder}/observe/starting.ts`,
    find: 'isKnownBy(object.resourceVersion, asResourceVersion(version))',
    replacement: 'object.resourceVersion !== version',
    tests: [`${folder}/observe.test.ts`],
  },
  {
    name: 'resumes by a mark although another version was seen',
    file: `${decide}/actions.ts`,
    find: 'patch: { ...patchOf(object, patch), resourceVersion },\n      ...(isRefused',
    replacement: 'patch: patchOf(object, patch),\n      ...(isRefused',
    tests: decideTests,
  },
  {
    name: 'tells of a suspension after it, when nothing decides it again',
    file: `${folder}/decide.ts`,
    find: '[[...announced, ...otherEvents], done, transition]',
    replacement: '[done, [...announced, ...otherEvents], transition]',
    tests: decideTests,
  },
  {
    name: 'tells of one suspension of an object in a period only',
    file: `${decide}/events.ts`,
    find: 'return `${key}-${period}-${generation}`;',
    replacement: "return `${key}-${period}${generation < 0 ? '-' : ''}`;",
    tests: decideTests,
  },
  {
    name: 'opens a second time in the hour that comes twice',
    file: 'shared/schedule/time-zone.ts',
    find: '.sort((left, right) => left - right)',
    replacement: '.sort((left, right) => right - left)',
    tests: scheduleTests,
  },
  {
    name: 'opens before the gap that summer time leaves',
    file: 'shared/schedule/time-zone.ts',
    find: 'return found ?? this.#firstInstantWith(after, wallMs - after, wallMs - before);',
    replacement: 'return found ?? wallMs - after;',
    tests: scheduleTests,
  },
  {
    name: 'is open where a window opens and closes at once',
    file: 'shared/schedule/day-levels.ts',
    find: 'Math.max(marks[minute] ?? 0, what)',
    replacement: 'marks[minute] || what',
    tests: scheduleTests,
  },
  {
    name: 'starts by an admission that the job has given up',
    file: 'functions/kueue-workload-sync/decide/given-up.ts',
    find: 'return version !== undefined && isKnownBy(metadata.resourceVersion, version);',
    replacement: "return version !== undefined && metadata.name === '';",
    tests: ['functions/kueue-workload-sync/decide/stop.test.ts'],
  },
  {
    name: 'leaves an admission half given up after a crash',
    file: 'functions/kueue-workload-sync/decide.ts',
    find: '!isLastGivenUp(workload, job) ||',
    replacement: 'isLastGivenUp(workload, job) ||',
    tests: ['functions/kueue-workload-sync/decide/stop.test.ts'],
  },
  {
    name: 'leaves the Workload of a flow that has left its queue',
    file: 'functions/kueue-workload-sync/decide.ts',
    find: "if (situation.queue === '') return leave(situation);",
    replacement: "if (situation.queue === '') return notYet('NotQueued', '');",
    tests: ['functions/kueue-workload-sync/decide/leave.test.ts'],
  },
];
