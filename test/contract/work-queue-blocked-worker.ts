/**
 * Takes one item, blocks its own event loop several times and says what became of the lease: a
 * worker for tests of the lock. Arguments: URL of Redis, key prefix, function, milliseconds that it
 * blocks each time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';

const [url = '', prefix = '', functionName = '', blockMs = '0'] = process.argv.slice(2);
const queue = createBullmqQueue({ url, prefix, log: silentLog });
const lease = await queue.take(functionName, new AbortController().signal);
if (lease === undefined) throw new Error('nothing to take');
for (let round = 0; round < 3; round += 1) {
  // At a different moment of the interval in which locks are prolonged, each time.
  await sleep(1_500 + 250 * round);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(blockMs));
}
await sleep(100);
process.stdout.write(lease.signal.aborted ? 'lost\n' : 'kept\n');
await lease.ack();
await queue.close();
