/** Bugs in what is told of a flow: its record, its conditions, its Events, and when it is looked at again. */
import type { Mutant } from '../mutant.ts';

const decide = 'functions/flow-advance/decide';

export const tellingMutants: readonly Mutant[] = [
  {
    name: 'tells the time at which it noticed as the start of a flow',
    file: `${decide}/status.ts`,
    find: 'return isEarlier ? first : known;',
    replacement: 'return isEarlier ? known : known;',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'counts no step as running whose Job has not begun',
    file: `${decide}/summary.ts`,
    find: "running: count('Pending', 'Running'),",
    replacement: "running: count('Running'),",
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'counts skipped steps as failed',
    file: `${decide}/summary.ts`,
    find: "failed: count('Failed'),",
    replacement: "failed: count('Failed', 'Skipped'),",
    tests: [`${decide}/failure.test.ts`],
  },
  {
    name: 'ends a flow with the first of its steps',
    file: `${decide}/summary.ts`,
    find: 'times.toSorted().at(-1)',
    replacement: 'times.toSorted().at(0)',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'tells a retry in fractions of a second that the API has not',
    file: `${decide}/retry.ts`,
    find: 'rfc3339(Math.ceil(dueMs / 1000) * 1000)',
    replacement: 'rfc3339(dueMs)',
    tests: [`${decide}/retry.test.ts`],
  },
  {
    name: 'does not say that it took note of a change after the end',
    file: 'functions/flow-advance/decide.ts',
    find: '...status,\n      ...common(situation, retry),',
    replacement: '...common(situation, retry),\n      ...status,',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'leaves conditions that stay as they are to an earlier generation',
    file: 'shared/domain/findings.ts',
    find: 'return conditions.map((condition) => ({ ...condition, ...observedGeneration(generation) }));',
    replacement:
      'return conditions.map((condition) => ({ ...observedGeneration(generation), ...condition }));',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'does not look again when what could start was put off',
    file: 'functions/flow-advance/decide.ts',
    find: 'starts.isDeferred || deletable.length < removed.length ? nowMs : undefined,',
    replacement: 'deletable.length < removed.length ? nowMs : undefined,',
    tests: [`${decide}/refusals.test.ts`],
  },
  {
    name: 'does not look again for the result that gives a Job its TTL',
    file: `${decide}/conclude.ts`,
    find: 'return runs || isTtlWithheld(situation) ?',
    replacement: 'return runs || (isTtlWithheld(situation) && situation.nowMs < 0) ?',
    tests: [`${decide}/ttl.test.ts`],
  },
  {
    name: 'gives its deadline to a flow that is held back on purpose',
    file: 'functions/flow-advance/decide.ts',
    find: 'if (hasStarted(situation) || isSuspended(situation)) return undefined;',
    replacement: 'if (hasStarted(situation)) return undefined;',
    tests: [`${decide}/suspend.test.ts`, `${decide}/templates.test.ts`],
  },
  {
    name: 'tells of a condition that turns again under the name of the first time',
    file: 'shared/domain/announcements.ts',
    find: "return known?.lastTransitionTime ?? 'unknown';",
    replacement: "return known?.type ?? 'unknown';",
    tests: [`${decide}/events.test.ts`],
  },
  {
    name: 'tells of skipped steps as of failed ones',
    file: `${decide}/events.ts`,
    find: "({ state }) => state === 'Failed'),",
    replacement: "({ state }) => state === 'Failed' || state === 'Skipped'),",
    tests: [`${decide}/events.test.ts`],
  },
  {
    name: 'names Events alike that concern two flows of one name',
    file: 'shared/kube/cluster-event.ts',
    find: 'JSON.stringify([regarding.uid, reason, occurrence])',
    replacement: 'JSON.stringify([regarding.name, reason, occurrence])',
    tests: ['shared/kube/cluster-event.test.ts'],
  },
  {
    name: 'goes on with the next stage although a create was refused',
    file: 'shared/kube/apply-plan.ts',
    find: 'if (rejections.length > 0) return',
    replacement: 'if (rejections.length > plan.length) return',
    tests: ['shared/kube/apply-plan.test.ts', 'shared/kube/apply-create.test.ts'],
  },
];
