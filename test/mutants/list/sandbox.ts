/** Bugs in the sandbox: strangers that are let in, work without bound, answers that no server gives. */
import type { Mutant } from '../mutant.ts';

const gate = 'sandbox/http/gate.ts';
const browserTests = ['test/attacks/sandbox-browser.test.ts'];

export const sandboxMutants: readonly Mutant[] = [
  {
    name: 'asks for no token where the sandbox tells what it serves',
    file: 'sandbox/http/front.ts',
    find: "const isProbe = kind === 'health' &&",
    replacement: "const isProbe = kind !== 'resource' &&",
    tests: browserTests,
  },
  {
    name: 'takes any token of the right length',
    file: gate,
    find: 'one.length === other.length && timingSafeEqual(one, other)',
    replacement: 'one.length === other.length && timingSafeEqual(one, one)',
    tests: browserTests,
  },
  {
    name: 'answers to every name that leads to it',
    file: gate,
    find: "return own.flat().includes((host ?? '').toLowerCase());",
    replacement: 'return own.flat().some((one) => (host ?? one).startsWith(one.slice(0, 9)));',
    tests: browserTests,
  },
  {
    name: 'hands out recorded events without a token',
    file: 'functions/millrace/up/control-service.ts',
    find: "url.startsWith('/health/') || url === '/metrics'",
    replacement: "url.startsWith('/') || url === '/metrics'",
    tests: browserTests,
  },
  {
    name: 'trusts a part of another object as if it had been checked for this one',
    file: 'sandbox/client/sandbox-client.ts',
    find: "if (typeof value !== 'object' || value === null) return value;",
    replacement:
      "if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;",
    tests: ['sandbox/client/sandbox-client.test.ts'],
  },
  {
    name: 'lets a rule cost what it likes',
    file: 'sandbox/schema/cel/cost.ts',
    find: 'if (this.#spent > perCallLimit) throw new CostLimitExceeded();',
    replacement: 'if (this.#spent > Infinity) throw new CostLimitExceeded();',
    tests: ['sandbox/schema/cel/cost.test.ts'],
  },
  {
    name: 'reads JSON however deep it is',
    file: 'sandbox/http/request-body.ts',
    find: "if (depthOf(text) > maxDepth) throw new SyntaxError('exceeded max depth');",
    replacement: "if (depthOf(text) < 0) throw new SyntaxError('exceeded max depth');",
    tests: ['test/attacks/26-28-bodies.test.ts'],
  },
];
