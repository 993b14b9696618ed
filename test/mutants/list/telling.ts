/** Bugs in the reports on a flow: its record, its conditions, its Events, and when it is looked at again. */
import type { Mutant } from '../mutant.ts';

export const tellingMutants: readonly Mutant[] = [
  {
    name: 'does not say that it took note of a change after the end',
    file: 'shared/parents/standing.ts',
    find: '...status, ...lookedAt(parent, retry)',
    replacement: '...lookedAt(parent, retry), ...status',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'names Events alike that concern two flows of one name',
    file: 'shared/kube/cluster-event.ts',
    find: 'JSON.stringify([regarding.uid, reason, occurrence])',
    replacement: 'JSON.stringify([regarding.name, reason, occurrence])',
    tests: ['shared/kube/cluster-event.test.ts'],
  },
];
