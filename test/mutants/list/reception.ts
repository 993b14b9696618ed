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
    name: 'waits for a body as long as its sender likes',
    file: 'shared/runtime/http/body-reader.ts',
    find: 'ms`)), bodyTimeoutMs);',
    replacement: 'ms`)), 2 ** 30);',
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
    name: 'takes any signature',
    file: 'shared/events/delivery-signature.ts',
    find: "if (!isSigned) refuse('signature',",
    replacement: "if (!isSigned && body.length < 0) refuse('signature',",
    tests: ['shared/events/delivery-signature.test.ts'],
  },
  {
    name: 'takes a delivery that was signed at any time',
    file: 'shared/events/delivery-signature.ts',
    find: 'if (Math.abs(nowMs - sentMs) <= deliveryWindowMs) return;',
    replacement: 'if (Math.abs(nowMs - sentMs) >= 0) return;',
    tests: ['shared/events/delivery-signature.test.ts'],
  },
  {
    name: 'lets a signed body carry attributes in headers that nobody signed',
    file: 'shared/events/delivery-signature.ts',
    find: "requireStructured(headers['content-type'] ?? '');",
    replacement: '',
    tests: ['shared/events/delivery-signature.test.ts'],
  },
  {
    name: 'parks an item because the keys differ',
    file: 'functions/dispatcher/verdicts.ts',
    find: "if (status === 401) return { kind: 'refused', detail };",
    replacement: '',
    tests: ['functions/dispatcher/verdicts.test.ts'],
  },
];
