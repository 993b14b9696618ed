/** The sandbox as the API server of one run, with our kinds served from their generated definitions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Clock, Random } from '#shared/domain/clock.ts';
import {
  apiPath,
  asResourceVersion,
  type JsonObject,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { watchError } from '#shared/kube/api-error.ts';
import type { KubeClient, KubeList, ListOptions } from '#shared/kube/client.ts';
import { omitting } from '#sandbox/api/draft.ts';
import { SandboxApi } from '#sandbox/api/api.ts';
import type { ApiCall, CallOptions } from '#sandbox/api/api-call.ts';
import { StatusError } from '#sandbox/api/status-error.ts';
import { builtInTypes } from '#sandbox/registry/built-in-types.ts';
import { customTypes } from '#sandbox/registry/custom-types.ts';
import type { ResourceType } from '#sandbox/registry/resource-type.ts';
import { type Registration, TypeRegistry } from '#sandbox/registry/type-registry.ts';
import { sandboxClient } from '#sandbox/sandbox-client.ts';
import { ObjectStore } from '#sandbox/store/object-store.ts';
import { namespace } from '../flow-objects.ts';
import type { OpenWatch } from './simulated-watch.ts';

export interface SandboxServer {
  readonly store: ObjectStore;
  /** Answers at once. */
  readonly client: KubeClient;
  readonly openWatch: OpenWatch;
  /** As it was `back` revisions ago; undefined when that is no longer known. */
  readonly pastList: (
    resource: Resource,
    options: ListOptions,
    back: number,
  ) => Promise<KubeList> | undefined;
  readonly sendBookmarks: () => void;
  readonly flowType: ResourceType;
}

export interface SandboxServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly checksSchemas: boolean;
}

/** Without managedFields, which nothing of ours reads and every write would pay for. */
export function createSandboxServer(options: SandboxServerOptions): SandboxServer {
  const { clock, random, checksSchemas } = options;
  const store = new ObjectStore(historySize);
  const types = registry(checksSchemas);
  const api = new SandboxApi({ store, types, clock, random, tracksFieldOwners: false });
  const client = sandboxClient(api, { user: 'simulation', fieldManager: 'simulation' });
  createNamespace(api);
  return {
    store,
    client,
    openWatch: (resource, { namespace: where = '', labelSelector, resourceVersion }, onEvent) => {
      const options = {
        allowWatchBookmarks: true,
        resourceVersion,
        ...(labelSelector === undefined ? {} : { labelSelector }),
      };
      return opened(api, resource, where, options, onEvent);
    },
    pastList: (resource, options, back) => {
      const revision = store.revision - back;
      if (revision < store.history.floor) return undefined;
      const resourceVersion = String(revision);
      return client.list(resource, { ...options, resourceVersion, resourceVersionMatch: 'Exact' });
    },
    sendBookmarks: () => api.sendBookmarks(),
    flowType: typeOf(api, resources.JobFlow),
  };
}

const historySize = 2_000;

function opened(
  api: SandboxApi,
  resource: Resource,
  where: string,
  options: CallOptions,
  onEvent: Parameters<OpenWatch>[2],
): () => void {
  const call = callOf(api, 'watch', resource, where, options);
  try {
    return api.watch(call, (line) => {
      if (line.type === 'BOOKMARK') {
        const { resourceVersion } = line.object.metadata;
        onEvent({ type: 'BOOKMARK', resourceVersion: asResourceVersion(resourceVersion) });
      } else onEvent(line);
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw watchError({ verb: 'watch', path: apiPath(resource, where) }, error.toStatus());
  }
}

function createNamespace(api: SandboxApi): void {
  const body: JsonObject = { metadata: { name: namespace } };
  api.handleNow({ ...callOf(api, 'create', resources.Namespace, '', {}), body });
}

function callOf(
  api: SandboxApi,
  verb: ApiCall['verb'],
  resource: Resource,
  where: string,
  options: CallOptions,
): ApiCall {
  const type = typeOf(api, resource);
  return { verb, type, namespace: where, name: '', subresource: '', options };
}

function typeOf({ types }: SandboxApi, { group, version, plural }: Resource): ResourceType {
  const type = types.byPath(group, version, plural);
  if (type === undefined) throw new Error(`the sandbox serves no ${plural}`);
  return type;
}

/** Read and compiled once, for all runs of the process. */
let checked: readonly Registration[] | undefined;
let unchecked: readonly Registration[] | undefined;

function registry(checksSchemas: boolean): TypeRegistry {
  checked ??= [...builtInTypes(), ...ownTypes()];
  unchecked ??= checked.map(withoutSchema);
  const types = new TypeRegistry();
  types.register('all', checksSchemas ? checked : unchecked);
  return types;
}

function withoutSchema({ type, storage }: Registration): Registration {
  const bare = (known: ResourceType): ResourceType => omitting(known, 'schema');
  return { type: bare(type), storage: { ...storage, type: bare(storage.type) } };
}

function ownTypes(): readonly Registration[] {
  return [resources.JobFlow, resources.JobTemplate].flatMap(({ plural, group }) => {
    const file = join(import.meta.dirname, '../../../deploy/crds', `${group}_${plural}.yaml`);
    return customTypes(parse(readFileSync(file, 'utf8')) as KubeObject);
  });
}
