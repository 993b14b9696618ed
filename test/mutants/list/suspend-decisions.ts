/** Bugs in what suspend-schedule decides, and in the schedules that it goes by. */
import type { Mutant } from '../mutant.ts';

const folder = 'functions/suspend-schedule';
const decide = `${folder}/decide`;
const shared = 'shared/suspension';
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
    file: `${shared}/override.ts`,
    find: 'untilMs === undefined || untilMs <= nowMs',
    replacement: 'untilMs === undefined',
    tests: decideTests,
  },
  {
    name: 'lets among equals the open policy decide',
    file: `${shared}/claim.ts`,
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
    name: 'tells of a suspension after it, when nothing decides it again',
    file: `${folder}/decide.ts`,
    find: '      [...eventsOf(situation, now), ...refusalEvents(situation, actions)],\n      now.map(({ patch }) => patch),\n',
    replacement:
      '      now.map(({ patch }) => patch),\n      [...eventsOf(situation, now), ...refusalEvents(situation, actions)],\n',
    tests: decideTests,
  },
  {
    name: 'keeps to itself which suspension was refused',
    file: `${folder}/decide.ts`,
    find: ', ...refusalEvents(situation, actions)]',
    replacement: ']',
    tests: decideTests,
  },
  {
    name: 'passes over what has not started',
    file: `${decide}/admit.ts`,
    find: 'return dueMs === undefined || dueMs <= situation.nowMs;',
    replacement: 'return dueMs !== undefined && dueMs <= situation.nowMs;',
    tests: admitTests,
  },
  {
    name: 'suspends what another policy decides about',
    file: `${folder}/decide.ts`,
    find: 'if (decides === situation.key) mine.push(governed(situation, object));',
    replacement: 'mine.push(governed(situation, object));',
    tests: decideTests,
  },
  {
    name: 'writes although it is only to report',
    file: `${folder}/decide.ts`,
    find: 'const now = isDryRun ? [] : rest.slice(0, mostActions);',
    replacement: 'const now = rest.slice(0, mostActions);',
    tests: decideTests,
  },
  {
    name: 'keeps what it selects no more',
    file: `${folder}/decide.ts`,
    find: ".filter(({ standing, override }) => standing === 'held' && override",
    replacement: ".filter(({ standing, override }) => standing === 'running' && override",
    tests: decideTests,
  },
  {
    name: 'resumes at its deletion although what it holds is to stay so',
    file: `${folder}/decide.ts`,
    find: 'const left = isRestoring ?',
    replacement: 'const left = isRestoring || marked.length > 0 ?',
    tests: decideTests,
  },
  {
    name: 'lets go of a policy before what it holds is resumed',
    file: `${folder}/decide.ts`,
    find: 'if (left.length === 0) {',
    replacement: 'if (left.length >= 0) {',
    tests: decideTests,
  },
  {
    name: 'interrupts what has not run for its time',
    file: `${decide}/admit.ts`,
    find: 'if (!hasRunEnough(this.#situation, candidate)) continue;',
    replacement: '',
    tests: admitTests,
  },
  {
    name: 'takes for its start the creation of what has not started',
    file: `${decide}/order.ts`,
    find: '({ startedAt = notYet }: SelectedObject) => startedAt;',
    replacement: '({ startedAt, createdAt }: SelectedObject) => startedAt ?? createdAt;',
    tests: admitTests,
  },
  {
    name: 'suspends the first to start where more runs than there is room for',
    file: `${decide}/order.ts`,
    find: 'compareTexts(startOf(right), startOf(left)) || byAge(right, left),',
    replacement: 'compareTexts(startOf(left), startOf(right)) || byAge(right, left),',
    tests: admitTests,
  },
  {
    name: 'does not raise the priority of what waits',
    file: `${decide}/order.ts`,
    find: 'if (agingSeconds === undefined) return object.priority;',
    replacement: 'if (agingSeconds !== undefined) return object.priority;',
    tests: admitTests,
  },
  {
    name: 'believes that something has waited since before its creation',
    file: `${decide}/order.ts`,
    find: 'Math.max(parseTime(noteOf(object).since) ?? createdMs, createdMs);',
    replacement: '(parseTime(noteOf(object).since) ?? createdMs);',
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
