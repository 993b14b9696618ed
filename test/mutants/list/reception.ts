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
    name: 'gives a place to work to a body that is still to come',
    file: 'shared/runtime/function/event-route.ts',
    find: 'if (service.turnsAway(reply)) return;',
    replacement: `if (service.turnsAway(reply)) return;
      const place = service.tryEnter(reply);
      reply.raw.once('close', () => place?.());`,
    tests: ['shared/runtime/function/function-service.test.ts'],
  },
  {
    name: 'closes the connection of a sender for one that brings nothing',
    file: 'shared/runtime/http/connection-limit.ts',
    find: 'of [strangers, senders]) {',
    replacement: 'of [senders, strangers]) {',
    tests: ['shared/runtime/http/connection-limit.test.ts'],
  },
  {
    name: 'lets a signed body carry attributes in headers that nobody signed',
    file: 'shared/events/delivery-signature.ts',
    find: "requireStructured(headers['content-type'] ?? '');",
    replacement: '',
    tests: ['shared/events/delivery-signature.test.ts'],
  },
];
