/** Bugs in queue, sink and dispatcher: work that is lost, doubled or never comes back. */
import type { Mutant } from '../mutant.ts';

const room = 'shared/queue/memory-room.ts';
const queueTests = ['shared/queue/memory-queue.test.ts', 'test/contract/work-queue.test.ts'];
const workerLoop = 'functions/dispatcher/worker-loop.ts';
const dispatcherTests = ['functions/dispatcher/dispatcher.test.ts'];
const sink = 'functions/bridge/sink.ts';
const sinkTests = ['functions/bridge/sink.test.ts'];
const refusals = 'functions/bridge/refusals.ts';
const refusalsTests = ['functions/bridge/refusals.test.ts'];

export const deliveryMutants: readonly Mutant[] = [
  {
    name: 'takes an answer of a sink other than 2xx for taken',
    file: sink,
    find: 'statusCode >= 200 && statusCode < 300',
    replacement: 'statusCode >= 200',
    tests: sinkTests,
  },
  {
    name: 'takes a batch for taken of which a sink did not take a part',
    file: sink,
    find: 'if (errors.length > 0) throw errors[0];',
    replacement: '',
    tests: sinkTests,
  },
  {
    name: 'lets an event that a sink refuses hold up the others',
    file: refusals,
    find: 'if (refused.size === 0) {',
    replacement: 'throw refusal;\n      if (refused.size === 0) {',
    tests: refusalsTests,
  },
  {
    name: 'repeats to a sink what a later event of the object has spoken for',
    file: refusals,
    find: 'if (closing.signal.aborted || refused.get(identity) !== told) return;',
    replacement: 'if (closing.signal.aborted) return;',
    tests: refusalsTests,
  },
  {
    name: 'waits for ever for the answer of a sink',
    file: sink,
    find: '      timeoutMs,\n    });',
    replacement: '      timeoutMs: 3_600_000,\n    });',
    tests: sinkTests,
  },
  {
    name: 'drops the extensions that a source is told to add',
    file: sink,
    find: '{ ...event.extensions, ...extensions }',
    replacement: '{ ...event.extensions, ...(extensions && {}) }',
    tests: sinkTests,
  },
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
    name: 'settles an item whose lease it has lost',
    file: workerLoop,
    find: 'if (lease.signal.aborted) return;',
    replacement: '',
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
    name: 'takes an outage of the queue for a lack of progress',
    file: 'functions/dispatcher/dispatcher.ts',
    find: 'state = freshWatchdog;\n    }',
    replacement: '}',
    tests: dispatcherTests,
  },
  {
    name: 'drops an item that failed too often instead of parking it',
    file: 'functions/dispatcher/settle.ts',
    find: "? { kind: 'park', reason: `failed ${failures + 1} times, last: ${delivery.detail}` }",
    replacement: "? { kind: 'ack' }",
    tests: ['functions/dispatcher/settle.test.ts'],
  },
  {
    name: 'counts an unreachable function as a failure of the item',
    file: 'functions/dispatcher/settle.ts',
    find: "return { kind: 'later', afterMs: laterMs(undefined, random), failed: false };",
    replacement: "return { kind: 'later', afterMs: laterMs(undefined, random), failed: true };",
    tests: ['functions/dispatcher/settle.test.ts'],
  },
  {
    name: 'takes a connection that did not come about for a failure',
    file: 'functions/dispatcher/verdicts.ts',
    find: "noConnection.has(codeOf(error)) ? 'unreachable' : 'retry'",
    replacement: "noConnection.has(codeOf(error)) ? 'retry' : 'retry'",
    tests: ['functions/dispatcher/deliver-http.test.ts'],
  },
  {
    name: 'goes on with a delivery whose lease is lost',
    file: workerLoop,
    find: 'underEither([lease.signal, kill], (signal)',
    replacement: 'underEither([kill, kill], (signal)',
    tests: dispatcherTests,
  },
  {
    name: 'does not tell the holder that its lock is gone (Redis)',
    file: 'shared/queue/held-leases.ts',
    find: 'if (gone.has(lease.job)) this.#lose(lease);',
    replacement: 'if (gone.has(lease.job) && lease.lockedUntilMs < askedMs) this.#lose(lease);',
    tests: ['shared/queue/held-leases.test.ts', 'test/contract/bullmq-lease.test.ts'],
  },
  {
    name: 'looks for locks that ran out only when the store answers',
    file: 'shared/queue/held-leases.ts',
    find: 'this.#loseExpired();\n    if (this.#extending',
    replacement: 'if (!this.#extending) this.#loseExpired();\n    if (this.#extending',
    tests: ['shared/queue/held-leases.test.ts'],
  },
  {
    name: 'takes a wait for a time of its own clock',
    file: 'functions/dispatcher/worker-loop.ts',
    find: 'return lease.later(settlement.afterMs, {',
    replacement: 'return lease.later(options.clock.now() + settlement.afterMs, {',
    tests: dispatcherTests,
  },
  {
    name: 'forgets when a function asked to look again',
    file: 'functions/dispatcher/settle.ts',
    find: "return { kind: 'later', afterMs: delivery.afterMs, failed: false };",
    replacement: "return { kind: 'ack' };",
    tests: ['functions/dispatcher/settle.test.ts'],
  },
  {
    name: 'forgets a wake-up that comes while the item runs (memory)',
    file: room,
    find: 'state.wokenBy = item;\n        return;',
    replacement: 'return;',
    tests: queueTests,
  },
  {
    name: 'forgets a wake-up that comes while the item runs (Redis)',
    file: 'shared/queue/bullmq-queue.ts',
    find: 'keepLastIfActive: true',
    replacement: 'keepLastIfActive: false',
    tests: ['test/contract/work-queue.test.ts'],
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
    name: 'stumbles over a wake-up that somebody overwrote (Redis)',
    file: 'shared/queue/bullmq-scripts.ts',
    find: 'if wakeUpKey and redis',
    replacement: 'if false and redis',
    tests: ['test/contract/bullmq-tampering.test.ts'],
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
    name: 'counts what was put off as delayed when its time has come (memory)',
    file: room,
    find: 'if (!cut.signal.aborted) this.#queue(identity, entry);',
    replacement:
      'if (cut.signal.aborted) return;\n      this.#waiting.push(identity);\n      this.#serve();',
    tests: queueTests,
  },
  {
    name: 'counts the term of a lease from the answer',
    file: 'shared/queue/held-leases.ts',
    find: 'lockedUntilMs: job.askedMs +',
    replacement: 'lockedUntilMs: performance.now() +',
    tests: ['shared/queue/held-leases.test.ts'],
  },
  {
    name: 'lets a lost lease settle the run that came after it',
    file: room,
    find: "if (this.#entries.get(identity) !== entry || state.kind !== 'running') return;",
    replacement: "if (state.kind !== 'running') return;",
    tests: queueTests,
  },
  {
    name: 'does not cut a back-off short when a fresh event comes',
    file: room,
    find: `state.cut.abort();
        break;
      case 'parked':`,
    replacement: `entry.item = item;
        return;
      case 'parked':`,
    tests: queueTests,
  },
  {
    name: 'leaves a parked item aside when a fresh event comes',
    file: room,
    find: `case 'parked':
        break;
    }`,
    replacement: `case 'parked':
        return;
    }`,
    tests: queueTests,
  },
  {
    name: 'loses the item of a worker that died',
    file: room,
    find: 'this.#queue(identity, { ...entry, item: state.wokenBy ?? entry.item });',
    replacement: 'this.#entries.delete(identity);',
    tests: queueTests,
  },
  {
    name: 'keeps the work of all clusters under the same keys',
    file: 'shared/redis/key-prefix.ts',
    find: 'return `{millrace:${clusterUid}}`;',
    replacement: "return clusterUid === '' ? '' : '{millrace}';",
    tests: ['test/contract/clusters-apart.test.ts'],
  },
  {
    name: 'sends the work to a Redis beyond this machine in clear text',
    file: 'shared/redis/transport.ts',
    find: "isLoopback(host ?? 'localhost')",
    replacement: 'host !== undefined',
    tests: ['test/attacks/38-plain-redis.test.ts'],
  },
  {
    name: 'looks again five seconds late',
    file: 'functions/dispatcher/settle.ts',
    find: "return { kind: 'later', afterMs: delivery.afterMs, failed: false };",
    replacement: "return { kind: 'later', afterMs: delivery.afterMs + 5_000, failed: false };",
    tests: ['functions/dispatcher/settle.test.ts'],
  },
  {
    name: 'looks again every second whether or not there is a reason',
    file: 'shared/runtime/function/process-item.ts',
    find: "if (requeueAtMs === Infinity) return { kind: 'done' };",
    replacement: "if (requeueAtMs === Infinity) return { kind: 'requeue', afterMs: 1_000 };",
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
  {
    name: 'looks again and again while answers set the clock back',
    file: 'shared/runtime/function/process-item.ts',
    find: 'const setBackAgainMs = 500;',
    replacement: 'const setBackAgainMs = 0;',
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
];
