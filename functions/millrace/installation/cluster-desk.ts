import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/domain/errors.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { ClusterOptions } from '../commands/install-options.ts';

/** Operations that may be repeated. */
export type PatientClient = Pick<KubeClient, 'get' | 'list' | 'patch' | 'delete' | 'review'>;

export interface ClusterDesk extends AsyncDisposable {
  readonly client: PatientClient;
  readonly connection: Connection;
}

/** Opens the cluster that the options or the environment name. Throws MR_KUBECONFIG_UNUSABLE. */
export async function openClusterDesk({
  kubeconfig,
  context,
}: Pick<ClusterOptions, 'kubeconfig' | 'context'>): Promise<ClusterDesk> {
  const file = kubeconfig ?? process.env['KUBECONFIG'];
  const connection = await loadConnection({
    ...(file === undefined || file === '' ? {} : { kubeconfig: file }),
    ...(context === undefined ? {} : { context }),
  });
  const client = new HttpKubeClient({
    connection,
    userAgent: userAgentOf(packageJson.version, 'install'),
  });
  return { client: patient(client), connection, [Symbol.asyncDispose]: () => connection.close() };
}

const patienceMs = 30_000;
const betweenMs = 500;

/** After a change of a definition, the API server answers 429 for a moment. */
function patient(client: KubeClient): PatientClient {
  return {
    get: (...asked) => patiently(() => client.get(...asked)),
    list: (...asked) => patiently(() => client.list(...asked)),
    patch: (...asked) => patiently(() => client.patch(...asked)),
    delete: (...asked) => patiently(() => client.delete(...asked)),
    review: (...asked) => patiently(() => client.review(...asked)),
  };
}

async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!hasCode(error, 'MR_API_RETRYABLE') || Date.now() > deadline) throw error;
      await sleep(betweenMs);
    }
  }
}
