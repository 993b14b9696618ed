/** Runs scripts on one server, a few at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { normalise } from './normalise.ts';
import type { Script } from './script.ts';
import { Session } from './session.ts';
import type { Transcript } from './transcript.ts';
import type { Wire } from './wire.ts';

/**
 * Starts all scripts in their order, `width` at a time. A script's namespace is `prefix` and its
 * position, so that both servers see the same bytes.
 */
export function playAll(
  wire: Wire,
  scripts: readonly Script[],
  prefix: string,
  width: number,
): readonly Promise<Transcript>[] {
  const results = scripts.map(() => Promise.withResolvers<Transcript>());
  let next = 0;
  const work = async () => {
    while (next < scripts.length) {
      const index = next++;
      const namespace = `${prefix}-${String(index).padStart(3, '0')}`;
      await play(wire, scripts[index]!, namespace).then(
        results[index]!.resolve,
        results[index]!.reject,
      );
    }
  };
  for (let worker = 0; worker < width; worker += 1) void work();
  for (const { promise } of results) promise.catch(() => undefined);
  return results.map(({ promise }) => promise);
}

async function play(wire: Wire, script: Script, namespace: string): Promise<Transcript> {
  await createNamespace(wire, namespace);
  const session = new Session(wire, namespace);
  try {
    await script.run(session);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    session.steps.push({ kind: 'failure', asked: 'the script', message });
  } finally {
    session.close();
  }
  return normalise(session.steps, namespace);
}

async function createNamespace(wire: Wire, name: string): Promise<void> {
  const { code, text } = await wire.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  });
  if (code !== 201) throw new Error(`namespace ${name} was not created: ${code} ${text}`);
  await untilThere(wire, `/api/v1/namespaces/${name}/serviceaccounts/default`);
}

/** A Pod is refused until its namespace has the default account. */
async function untilThere(wire: Wire, path: string): Promise<void> {
  while ((await wire.send({ method: 'GET', path })).code === 404) await sleep(50);
}
