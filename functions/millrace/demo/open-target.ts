/** Finds what a demo runs on: a cluster if requested, else a running `up`, else a sandbox of its own. */
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { DemoOptions } from '../commands/demo-options.ts';
import { requireCrds } from '../require-crds.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { latestUp, upOf } from '../up/find-up.ts';
import type { UpState } from '../up/state-folder.ts';
import { remoteDesk } from './remote-desk.ts';
import type { DemoTarget } from './target.ts';

/** Throws faults of the connection or the cluster. `nodes` are the node names of an own sandbox. */
export async function openTarget(
  options: DemoOptions,
  nodes?: readonly string[],
): Promise<DemoTarget> {
  if (options.cluster === true) return openCluster(options);
  const up = await findUp();
  if (up !== undefined) return openUp(up, options);
  // Loaded only here, because other demos do not need it.
  const { openOwnSandbox } = await import('./own-sandbox.ts');
  const { namespace } = options;
  return openOwnSandbox({
    ...(namespace === undefined ? {} : { namespace }),
    ...(nodes === undefined ? {} : { nodes }),
  });
}

async function openCluster({ kubeconfig, context, namespace }: DemoOptions): Promise<DemoTarget> {
  const file = kubeconfig ?? process.env['KUBECONFIG'];
  const connection = await loadConnection({
    ...(file === undefined || file === '' ? {} : { kubeconfig: file }),
    ...(context === undefined ? {} : { context }),
  });
  const client = clientOver(connection);
  try {
    await requireCrds(client);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    kind: 'cluster',
    describe: `the cluster of ${connection.describe}`,
    client,
    namespace: namespace ?? connection.namespace,
    kubectl: [
      'kubectl',
      ...(kubeconfig === undefined ? [] : ['--kubeconfig', shellWord(kubeconfig)]),
      ...(context === undefined ? [] : ['--context', shellWord(context)]),
    ].join(' '),
    close: () => connection.close(),
  };
}

interface FoundUp extends UpState {
  readonly foundBy: string;
}

/** The `up` that KUBECONFIG names, else the latest one. */
async function findUp(): Promise<FoundUp | undefined> {
  const named = process.env['KUBECONFIG'] ?? '';
  const byVariable = named === '' ? undefined : await upOf(named);
  if (byVariable !== undefined) return { ...byVariable, foundBy: 'KUBECONFIG names it' };
  const latest = await latestUp();
  return latest === undefined ? undefined : { ...latest, foundBy: 'found by its state file' };
}

async function openUp(up: FoundUp, { namespace }: DemoOptions): Promise<DemoTarget> {
  const connection = await loadConnection({ kubeconfig: up.kubeconfig });
  return {
    kind: 'up',
    describe: `the millrace up at ${up.server} (process ${up.pid}, ${up.foundBy})`,
    client: clientOver(connection),
    namespace: namespace ?? connection.namespace,
    kubectl: `KUBECONFIG=${shellWord(up.kubeconfig)} kubectl`,
    desk: remoteDesk(up.control, connection),
    close: () => connection.close(),
  };
}

function clientOver(connection: Connection): HttpKubeClient {
  return new HttpKubeClient({ connection, userAgent: userAgentOf(packageJson.version, 'demo') });
}
