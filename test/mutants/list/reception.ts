/** Bugs in what a function lets in: who may send, what is read, how long it may take. */
import type { Mutant } from '../mutant.ts';

export const receptionMutants: readonly Mutant[] = [
  {
    name: 'tries every way to share the blanks of a media type',
    file: 'shared/events/media-type.ts',
    find: 'const essence = scanner.take(typeAndSubtype) ?? refuse();',
    replacement:
      'const essence = scanner.take(typeAndSubtype) ?? refuse();\n' +
      '  if (!/^[^;]*(?:\\s*;\\s*(?:[^;"]+)?)*$/.test(text) && text === "") refuse();',
    tests: ['test/attacks/28-regular-expressions.test.ts'],
  },
  {
    name: 'takes a member of an event that is given twice',
    file: 'shared/events/strict-json.ts',
    find: 'members?.add(name);',
    replacement: '',
    tests: ['shared/events/strict-json.test.ts'],
  },
  {
    name: 'keeps a trace of any length',
    file: 'shared/events/changed-object.ts',
    find: 'return text !== undefined && traceparentPattern.test(text) ? text : undefined;',
    replacement:
      'return text !== undefined && traceparentPattern.source !== "" ? text : undefined;',
    tests: ['shared/events/changed-object.test.ts'],
  },
];
