/** Answers a shell in the format of kubectl's completions: a line per candidate, then a directive. */
import type { Command } from 'commander';
import { printable } from '#shared/domain/printable.ts';
import { type Candidate, completionsOf, type KnownNames } from './completions.ts';

/** Directives of cobra: the shell completes paths (0), or it does not (4). */
const directives = { path: ':0', none: ':4' } as const;

/** Longest wait for a cluster while the user types, milliseconds. */
const patienceMs = 2_000;

export async function answerShell(program: Command, words: readonly string[]): Promise<string> {
  const { candidates, isPath } = await completionsOf(program, words, known);
  const lines = candidates.map(({ value, description }) =>
    description === '' ? value : `${value}\t${printable(description)}`,
  );
  return [...lines, isPath ? directives.path : directives.none, ''].join('\n');
}

const known: KnownNames = { name: namesInCluster, function: functionNames };

async function functionNames(): Promise<readonly Candidate[]> {
  const { subscriptions } = await import('#functions/list.ts');
  return subscriptions.map(({ name }) => ({ value: name, description: '' }));
}

/** Empty if no cluster answers: a shell cannot show an error. */
async function namesInCluster(verb: string): Promise<readonly Candidate[]> {
  try {
    const { openCluster } = await import('../open-cluster.ts');
    const { picturedKinds } = await import('../picture/pictured-kinds.ts');
    await using cluster = await openCluster({}, `completion of ${verb}`);
    const { client, namespace } = cluster;
    const signal = AbortSignal.timeout(patienceMs);
    const asked = picturedKinds.map(async ({ resource }) => {
      const { items } = await client.list(resource, { namespace, limit: 200, signal });
      return items.map(({ metadata: { name } }) => ({ value: name, description: resource.kind }));
    });
    return (await Promise.allSettled(asked)).flatMap((each) =>
      each.status === 'fulfilled' ? each.value : [],
    );
  } catch {
    return [];
  }
}
