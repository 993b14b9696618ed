/** A Kubernetes API in this process: objects, API and clients. It does not listen and runs no controllers. */
import type { Clock, Random } from '#shared/domain/clock.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { maxStoredBytes } from '#shared/domain/stored-size.ts';
import type { Permits } from './api/access.ts';
import { SandboxApi } from './api/api.ts';
import { builtInTypes } from './registry/built-in-types.ts';
import { type Registration, TypeRegistry } from './registry/type-registry.ts';
import { sandboxClient, type ClientIdentity } from './client/sandbox-client.ts';
import { ObjectStore } from './store/object-store.ts';

export interface SandboxOptions {
  /** The clock of all timestamps. */
  readonly clock: Clock;
  /** The source of uids and generated names. */
  readonly random: Random;
  /** Limit for events in the history of watches and paged lists. Default 10,000. */
  readonly historySize?: number;
  /** Whether writes keep managedFields. Default true. */
  readonly tracksFieldOwners?: boolean;
  /** Whether clients may store objects of any size. Default false: the limit of a cluster applies. */
  readonly storesAnySize?: boolean;
  /** Answers reviews of access. Default: every user may do everything. */
  readonly permits?: Permits;
  /** Kinds that are served from the start. Default: the built-in ones. */
  readonly types?: readonly Registration[];
  /** Whether the namespaces and priority classes of every cluster exist. Default true. */
  readonly hasInitialObjects?: boolean;
}

export interface Sandbox {
  readonly api: SandboxApi;
  readonly store: ObjectStore;
  readonly client: (identity: ClientIdentity) => KubeClient;
}

const defaultHistorySize = 10_000;
const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, random, historySize = defaultHistorySize, tracksFieldOwners = true } = options;
  const store = new ObjectStore(historySize);
  const types = new TypeRegistry();
  types.register('built in', options.types ?? builtInTypes());
  const { permits } = options;
  const api = new SandboxApi({
    ...{ store, types, clock, random, tracksFieldOwners },
    ...(permits === undefined ? {} : { permits }),
  });
  if (options.hasInitialObjects !== false) {
    for (const [plural, object] of initialObjects()) createInitial(api, plural, object);
  }
  const limits = options.storesAnySize === true ? {} : { maxStoredBytes };
  return { api, store, client: (identity) => sandboxClient(api, { ...limits, ...identity }) };
}

function initialObjects(): readonly (readonly [string, JsonObject])[] {
  const namespaces = initialNamespaces.map(
    (name) => ['namespaces', { metadata: { name } }] as const,
  );
  return [
    ...namespaces,
    [
      'priorityclasses',
      {
        metadata: { name: 'system-node-critical' },
        value: 2_000_001_000,
        description:
          'Used for system critical pods that must not be moved from their current node.',
      },
    ],
    [
      'priorityclasses',
      {
        metadata: { name: 'system-cluster-critical' },
        value: 2_000_000_000,
        description:
          'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
      },
    ],
  ];
}

function createInitial(api: SandboxApi, plural: string, body: JsonObject): void {
  const type = api.types.all().find((known) => known.plural === plural);
  if (type === undefined) throw new Error(`the sandbox serves no ${plural}`);
  api.handleNow({
    verb: 'create',
    type,
    namespace: '',
    name: '',
    subresource: '',
    body,
    options: { fieldManager: 'kube-apiserver' },
  });
}
