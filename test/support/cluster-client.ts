import { randomUUID } from 'node:crypto';
import type { JsonObject, KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { TransportOptions } from '#shared/kube/api-transport.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';

export interface ClusterClient extends AsyncDisposable {
  readonly client: HttpKubeClient;
  readonly connection: Connection;
}

/** The real client with the rights of a kubeconfig. `component` names it in the audit log. */
export async function openClient(
  kubeconfig: string,
  component: string,
  options: Partial<TransportOptions> = {},
): Promise<ClusterClient> {
  const connection = await loadConnection({ kubeconfig });
  const userAgent = userAgentOf('test', component);
  const client = new HttpKubeClient({ connection, userAgent, ...options });
  return { client, connection, [Symbol.asyncDispose]: () => connection.close() };
}

/** Creates a namespace for a test and returns its name. */
export async function freshNamespace(client: HttpKubeClient, prefix: string): Promise<string> {
  const name = `${prefix}-${randomUUID().slice(0, 8)}`;
  await client.create(resources.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  return name;
}

/**
 * A JobFlow of one step, as the owner of a test's objects: the garbage collector deletes objects with
 * false owners.
 */
export function createFlow(
  client: HttpKubeClient,
  namespace: string,
  name: string,
): Promise<KubeObject> {
  const containers = [{ name: 'main', image: 'busybox' }];
  const jobTemplate = { template: { spec: { restartPolicy: 'Never', containers } } };
  return client.create(resources.JobFlow, {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { namespace, name },
    spec: { flows: [{ name: 'a', jobTemplate }] },
  });
}

/**
 * A Job of another manager: the Job controller leaves it to the test, while it would write the
 * status of one that is only suspended.
 */
export function unmanagedJob(
  name: string,
  owner: KubeObject,
  metadata: JsonObject = {},
): NewObject & { readonly spec: JsonObject } {
  const containers = [{ name: 'main', image: 'busybox' }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: owner.metadata.namespace ?? '',
      ...metadata,
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid,
          controller: true,
        },
      ],
    },
    spec: {
      suspend: true,
      managedBy: 'millrace.dev/test',
      template: { spec: { restartPolicy: 'Never', containers } },
    },
  };
}
