import { hasCode, type MillraceError } from '#shared/domain/errors.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findNamed } from '../find-named.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { jsonLine } from '../terminal/json-line.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { explain, explainAll, explainedKinds } from '../why/explain.ts';
import type { Explanation } from '../why/explanation.ts';
import { explanationText } from '../why/explanation-text.ts';
import { readQueue } from '../why/read-queue.ts';
import type { Surroundings } from '../why/surroundings.ts';
import type { WhyOptions } from '../why/why-options.ts';

/** `millrace why NAME` and `millrace why --all`. Throws CommandFailure, and MR_QUEUE_UNAVAILABLE after the answer. */
export async function why(
  what: string | undefined,
  options: WhyOptions,
  say: (line: string) => void,
): Promise<void> {
  if ((what === undefined) !== (options.all === true)) {
    throw new CommandFailure(
      exitCodes.usage,
      'a name or --all is needed, and not both',
      'millrace why --all',
    );
  }
  await using cluster = await openCluster(options, 'why');
  const { queue, queueFault } = await queueIfItAnswers(cluster, options);
  const around = surroundingsOf(cluster, options, queue);
  const explanations =
    what === undefined
      ? await explainAll(options.namespace, around)
      : await explainNamed(what, cluster, around);
  for (const [index, explanation] of explanations.entries()) {
    if (options.output === 'json') say(jsonLine(explanation));
    else
      for (const line of [...(index === 0 ? [] : ['']), ...explanationText(explanation)]) say(line);
  }
  if (explanations.length === 0 && options.output !== 'json') say('nothing is known to wait');
  if (queueFault !== undefined) throw queueFault;
}

interface QueueOrFault {
  readonly queue?: Surroundings['queue'];
  readonly queueFault?: MillraceError;
}

/** Without Redis the objects are explained from the cluster all the same. */
async function queueIfItAnswers(
  cluster: OpenedCluster,
  options: WhyOptions,
): Promise<QueueOrFault> {
  try {
    return { queue: await readQueue(options, cluster) };
  } catch (error) {
    if (hasCode(error, 'MR_QUEUE_UNAVAILABLE')) return { queueFault: error };
    throw error;
  }
}

function surroundingsOf(
  cluster: OpenedCluster,
  options: WhyOptions,
  queue: Surroundings['queue'],
): Surroundings {
  const { client, kubectl, program, options: same } = cluster;
  return {
    ...{ client, kubectl, program, options: same },
    queueOptions: [same, ...redisOptions(options)].filter((option) => option !== '').join(' '),
    ...(queue === undefined ? {} : { queue }),
  };
}

/** For the next command. Without the password, because output may end in a bug report. */
function redisOptions({ redis, redisInsecure = false }: WhyOptions): readonly string[] {
  if (redis === undefined) return [];
  const url = redis.replace(/^([^:]+:\/\/[^:@/]*):[^@/]*@/, '$1:PASSWORD@');
  return ['--redis', shellWord(url), ...(redisInsecure ? ['--redis-insecure'] : [])];
}

/** Explains the objects of this name, of all kinds unless the kind is named. */
async function explainNamed(
  what: string,
  cluster: OpenedCluster,
  around: Surroundings,
): Promise<readonly Explanation[]> {
  const found = await findNamed(what, explainedKinds, cluster);
  return Promise.all(
    found.map(({ kind, object, named }) => explain(kind, object, named.part, around)),
  );
}
