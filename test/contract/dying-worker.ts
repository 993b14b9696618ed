/**
 * Takes one item and holds it until it is killed: a worker for tests of queue-5.
 * Arguments: the URL of Redis, the queue options as JSON, the function.
 */
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';

const [url = '', options = '{}', functionName = ''] = process.argv.slice(2);
const given = JSON.parse(options) as { readonly prefix: string };
const queue = createBullmqQueue({ url, log: silentLog, ...given });
const lease = await queue.take(functionName, new AbortController().signal);
process.stdout.write(`took ${lease?.item.key.uid ?? 'nothing'}\n`);
