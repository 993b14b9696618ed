/** Bugs in what is written to the cluster, and on whose word. */
import type { Mutant } from '../mutant.ts';

const applyPlan = 'shared/kube/apply-plan.ts';
const plans = ['shared/kube/apply-plan.test.ts', 'shared/kube/apply-create.test.ts'];

export const writeMutants: readonly Mutant[] = [
  {
    name: 'takes AlreadyExists for success without looking whose it is',
    file: applyPlan,
    find: 'if (isTaken(error)) return adopt(operation, context, error);',
    replacement:
      "if (isTaken(error)) return written(resource, { done: 'adopt', namespace: '', name: '' });",
    tests: plans,
  },
  {
    name: 'writes a status over a newer one: no resourceVersion',
    file: applyPlan,
    find: '{ metadata: { uid, resourceVersion }, status },',
    replacement: '{ metadata: { uid }, status },',
    tests: plans,
  },
  {
    name: 'deletes by name: no uid',
    file: applyPlan,
    find: '{ uid, propagation, ...version, ...grace }',
    replacement: '{ propagation, ...version, ...grace }',
    tests: plans,
  },
  {
    name: 'writes the status before the Jobs that it tells of',
    file: 'shared/parents/conclude.ts',
    find: 'const plan = [...children, events(isRecorded), ...record];',
    replacement: 'const plan = [...record, ...children, events(isRecorded)];',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'tells of an Event twice: named by its time',
    file: 'shared/domain/announcements.ts',
    find: `function since({ before }: Change, type: string): string {
  const known = before.conditions`,
    replacement: `function since({ after }: Change, type: string): string {
  const known = after.conditions`,
    tests: ['functions/flow-advance/decide/events.test.ts'],
  },
];
