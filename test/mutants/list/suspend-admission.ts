/** Bugs in what suspend-admission holds, and in what it refuses. */
import type { Mutant } from '../mutant.ts';

const folder = 'functions/suspend-admission';
const creationTests = [`${folder}/suspend-on-creation.test.ts`];
const ownerTests = [`${folder}/kueue-table.test.ts`];

export const suspendAdmissionMutants: readonly Mutant[] = [
  {
    name: 'loses the annotations of what it suspends',
    file: `${folder}/decide.ts`,
    find: 'const own = { ...annotationsOf(object), ...annotations };',
    replacement: 'const own = { ...annotations };',
    tests: creationTests,
  },
  {
    name: 'takes a new owner under the name of an old one for the owner',
    file: 'shared/kueue/owners.ts',
    find: 'if (owner?.metadata.uid !== uid) break;',
    replacement: 'if (owner === undefined) break;',
    tests: ownerTests,
  },
];
