/** Bugs in what suspend-schedule decides, and in the schedules that it goes by. */
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
    name: 'resumes what a person suspended',
    file: `${decide}/standing.ts`,
    find: "return adopt !== 'Running' && isFresh ? 'held' : 'foreign';",
    replacement: "return adopt !== 'Running' ? 'held' : 'foreign';",
    tests: decideTests,
  },
  {
    name: 'takes what was submitted suspended although it is to take what runs',
    file: `${decide}/standing.ts`,
    find: "return adopt !== 'Running' && isFresh ? 'held' : 'foreign';",
    replacement: "return isFresh ? 'held' : 'foreign';",
    tests: decideTests,
  },
  {
    name: 'suspends at once what a person has resumed',
    file: `${decide}/standing.ts`,
    find: 'mark?.policy === policy.metadata.uid && mark.period === period',
    replacement: 'mark?.policy === policy.metadata.uid && mark.period !== period',
    tests: decideTests,
  },
  {
    name: 'leaves alone for ever what a person has resumed',
    file: `${decide}/standing.ts`,
    find: 'mark?.policy === policy.metadata.uid && mark.period === period',
    replacement: 'mark?.policy === policy.metadata.uid',
    tests: decideTests,
  },
  {
    name: 'goes by an override that has expired',
    file: `${decide}/override.ts`,
    find: 'untilMs === undefined || untilMs <= nowMs',
    replacement: 'untilMs === undefined',
    tests: decideTests,
  },
  {
    name: 'lets among equals the open policy decide',
    file: `${decide}/authority.ts`,
    find: 'Number(left.isOpen) - Number(right.isOpen)',
    replacement: 'Number(right.isOpen) - Number(left.isOpen)',
    tests: decideTests,
  },
  {
    name: 'resumes by a mark although another version was seen',
    file: `${decide}/actions.ts`,
    find: 'patch: { ...patchOf(object, patch), resourceVersion },\n      ...(isRefused',
    replacement: 'patch: patchOf(object, patch),\n      ...(isRefused',
    tests: decideTests,
  },
  {
    name: 'gives what came after the closing the grace of what ran before',
    file: `${decide}/wishes.ts`,
    find: 'if (!isOlder) return undefined;',
    replacement: '',
    tests: decideTests,
  },
  {
    name: 'resumes at its deletion what another policy holds',
    file: `${folder}/decide.ts`,
    find: ' && !isTakenOver(situation, object),',
    replacement: ',',
    tests: decideTests,
  },
  {
    name: 'takes the room of Pods that still terminate for free',
    file: `${decide}/admit.ts`,
    find: 'fits(this.#limit, plus(plus(this.#used, this.#leaving), amounts))',
    replacement: 'fits(this.#limit, plus(this.#used, amounts))',
    tests: admitTests,
  },
  {
    name: 'starts past what is overdue',
    file: `${decide}/admit.ts`,
    find: 'isBlocked = makesRoom || isStrict || isOverdue(this.#situation, object);',
    replacement: 'isBlocked = makesRoom || isStrict;',
    tests: admitTests,
  },
  {
    name: 'stands still for what never fits',
    file: `${decide}/admit.ts`,
    find: "this.wishes.set(object.uid, { kind: 'hold', reason: 'Unschedulable' });\n        continue;",
    replacement:
      "this.wishes.set(object.uid, { kind: 'hold', reason: 'Unschedulable' });\n        isBlocked = true;\n        continue;",
    tests: admitTests,
  },
  {
    name: 'lets equals interrupt one another',
    file: `${decide}/admit.ts`,
    find: 'if (candidate.priority >= object.priority) break;',
    replacement: 'if (candidate.priority > object.priority) break;',
    tests: admitTests,
  },
  {
    name: 'interrupts although it does not make enough room',
    file: `${decide}/admit.ts`,
    find: 'if (!fits(this.#limit, plus(used, amounts))) return false;',
    replacement: '',
    tests: admitTests,
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
    file: 'shared/schedule/window-times.ts',
    find: 'return closed === undefined || opened > closed;',
    replacement: 'return closed === undefined || opened >= closed;',
    tests: scheduleTests,
  },
  {
    name: 'lets the earlier of two exceptions decide',
    file: 'shared/schedule/schedule-times.ts',
    find: '      .reverse();',
    replacement: '      .slice();',
    tests: scheduleTests,
  },
];
