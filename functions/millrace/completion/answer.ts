/** Answers a shell in the format of kubectl's completions: a line per candidate, then a directive. */
import type { Command } from 'commander';
import { printable } from '#shared/domain/printable.ts';
import type { OpenedCluster } from '../open-cluster.ts';
import { type Asked, type Candidate, completionsOf, type KnownNames } from './completions.ts';

/** Directives of cobra: the shell completes paths (0), or it does not (4). */
const directives = { path: ':0', none: ':4' } as const;

/** Longest wait for a cluster while the user types, milliseconds. */
const patienceMs = 2_000;
/** Most candidates of a kind. */
const mostNames = 200;

export async function answerShell(program: Command, words: readonly string[]): Promise<string> {
  const { candidates, isPath } = await completionsOf(program, words, known);
  const lines = candidates.map(({ value, description }) =>
    description === '' ? value : `${value}\t${printable(description)}`,
  );
  return [...lines, isPath ? directives.path : directives.none, ''].join('\n');
}

const known: KnownNames = {
  name: namesOfObjects,
  namespace: namesOfNamespaces,
  function: functionNames,
};

async function functionNames(): Promise<readonly Candidate[]> {
  const { subscriptions } = await import('#functions/list.ts');
  return subscriptions.map(({ name }) => ({ value: name, description: '' }));
}

async function namesOfObjects(asked: Asked): Promise<readonly Candidate[]> {
  const { kind } = asked;
  const [{ picturedKinds }, { kindsNamed }] = await Promise.all([
    import('../picture/pictured-kinds.ts'),
    import('../named-object.ts'),
  ]);
  const wanted =
    kind === undefined ? picturedKinds.map(({ resource }) => resource) : (kindsNamed(kind) ?? []);
  const before = kind === undefined ? '' : `${kind}/`;
  return inCluster(asked, ({ client, namespace }, signal) =>
    wanted.map(async (resource) => {
      const place = resource.namespaced ? { namespace } : {};
      const { items } = await client.list(resource, { ...place, limit: mostNames, signal });
      return items.map(({ metadata: { name } }) => ({
        value: `${before}${name}`,
        description: resource.kind,
      }));
    }),
  );
}

async function namesOfNamespaces(asked: Asked): Promise<readonly Candidate[]> {
  const { resources } = await import('#shared/domain/resources.ts');
  return inCluster(asked, ({ client }, signal) => [
    (async () => {
      const { items } = await client.list(resources.Namespace, { limit: mostNames, signal });
      return items.map(({ metadata: { name } }) => ({ value: name, description: '' }));
    })(),
  ]);
}

/** Empty if no cluster answers or the user may not list: a shell cannot show an error. */
async function inCluster(
  { verb, ...chosen }: Asked,
  ask: (cluster: OpenedCluster, signal: AbortSignal) => readonly Promise<readonly Candidate[]>[],
): Promise<readonly Candidate[]> {
  try {
    const { openCluster } = await import('../open-cluster.ts');
    await using cluster = await openCluster(chosen, `completion of ${verb}`);
    const answers = await Promise.allSettled(ask(cluster, AbortSignal.timeout(patienceMs)));
    return answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  } catch {
    return [];
  }
}
