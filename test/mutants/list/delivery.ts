/** Bugs in queue, sink and dispatcher: work that is lost, doubled or never comes back. */
import type { Mutant } from '../mutant.ts';

const workerLoop = 'functions/dispatcher/worker-loop.ts';
const dispatcherTests = ['functions/dispatcher/dispatcher.test.ts'];
const sink = 'functions/bridge/sink.ts';
const sinkTests = ['functions/bridge/sink.test.ts'];

export const deliveryMutants: readonly Mutant[] = [
  {
    name: 'sends what followed of an object beside what went before (sink)',
    file: sink,
    find: 'const lines = [...Map.groupBy(items, ({ key }) => key.uid).values()];',
    replacement: 'const lines = items.map((item) => [item]);',
    tests: sinkTests,
  },
  {
    name: 'sweeps under ids that a broker knows and may drop (sink)',
    file: 'functions/bridge/publish.ts',
    find: 'return await this.#enqueue(items, String(this.#options.clock.now()));',
    replacement: 'return await this.#enqueue(items);',
    tests: sinkTests,
  },
  {
    name: 'acknowledges before the function has written',
    file: workerLoop,
    find: 'const verdict = await underEither(',
    replacement: 'await lease.ack();\n  const verdict = await underEither(',
    tests: dispatcherTests,
  },
  {
    name: 'ends itself when its wall clock is set forward while work is due',
    file: 'functions/dispatcher/dispatcher.ts',
    find: 'const monotonicMs = clock.monotonicMs();',
    replacement: 'const monotonicMs = clock.now();',
    tests: dispatcherTests,
  },
  {
    name: 'takes a wait for a time of its own clock',
    file: 'functions/dispatcher/worker-loop.ts',
    find: 'return lease.later(settlement.afterMs, {',
    replacement: 'return lease.later(options.clock.now() + settlement.afterMs, {',
    tests: dispatcherTests,
  },
  {
    name: 'lets a producer whose clock is ahead keep what it wakes (Redis)',
    file: 'shared/queue/bullmq-queue.ts',
    find: 'timestamp: longAgoMs',
    replacement: 'timestamp: Date.now() + 0 * longAgoMs',
    tests: ['test/contract/work-queue.test.ts'],
  },
  {
    name: 'forgets a wake-up when the item is put off (Redis)',
    file: 'shared/queue/bullmq-scripts.ts',
    find: 'if wakeUp then',
    replacement: 'if wakeUp and false then',
    tests: ['test/contract/bullmq-lease.test.ts'],
  },
  {
    name: 'swallows every wake-up of an item whose place in the line is gone (Redis)',
    file: 'shared/queue/bullmq-scripts.ts',
    find: 'if not isInLine(id) then',
    replacement: 'if not isInLine(id) and false then',
    tests: ['test/contract/bullmq-tampering.test.ts'],
  },
  {
    name: 'queues an item twice that waits and is asked for again (Redis)',
    file: 'shared/queue/bullmq-scripts.ts',
    find: "or redis.call('LPOS', waitKey, id)",
    replacement: '',
    tests: ['test/contract/work-queue.test.ts'],
  },
  {
    name: 'lets what was woken give way to parked items (Redis)',
    file: 'shared/queue/bullmq-scripts.ts',
    find: "'ZRANGEBYSCORE', delayedKey, parkedFrom,",
    replacement: "'ZRANGEBYSCORE', delayedKey, '-inf',",
    tests: ['test/contract/work-queue.test.ts'],
  },
  {
    name: 'does not count what is due as waiting until somebody fetches it (Redis)',
    file: 'shared/queue/queue-depth.ts',
    find: "redis.call('LLEN', KEYS[1]) + due",
    replacement: "redis.call('LLEN', KEYS[1])",
    tests: ['test/contract/work-queue.test.ts'],
  },
  {
    name: 'keeps the work of all clusters under the same keys',
    file: 'shared/redis/key-prefix.ts',
    find: 'return `{millrace:${clusterUid}}`;',
    replacement: "return clusterUid === '' ? '' : '{millrace}';",
    tests: ['test/contract/clusters-apart.test.ts'],
  },
];
