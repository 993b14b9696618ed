/** The sandbox as the API server of one run, with Millrace's kinds from their definitions. */
import { kinds } from '#functions/list.ts';
import { admissionPolicy } from '#shared/api/admission-policy.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import type { Clock, Random } from '#shared/domain/clock.ts';
import {
  apiPath,
  asResourceVersion,
  type JsonObject,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { type ResourceKind, resources } from '#shared/domain/resources.ts';
import { watchError } from '#shared/kube/api-error.ts';
import type { KubeClient, KubeList, ListOptions } from '#shared/kube/client.ts';
import {
  type ApiCall,
  builtInTypes,
  type CallOptions,
  createSandbox,
  customTypes,
  kueueDefinitions,
  type ObjectStore,
  type Registration,
  type ResourceType,
  type Sandbox,
  StatusError,
  unchecked,
} from '#sandbox';
import { namespace } from '../flow-objects.ts';
import type { OpenWatch } from './simulated-watch.ts';

export interface SandboxServer {
  readonly api: Sandbox['api'];
  readonly store: ObjectStore;
  /** Answers at once. */
  readonly client: KubeClient;
  readonly openWatch: OpenWatch;
  /** The list `back` revisions ago. Undefined: it is no longer known. */
  readonly pastList: (
    resource: Resource,
    options: ListOptions,
    back: number,
  ) => (() => Promise<KubeList>) | undefined;
  readonly sendBookmarks: () => void;
  readonly flowType: ResourceType;
  readonly podType: ResourceType;
  readonly eventType: ResourceType;
  readonly nodeType: ResourceType;
}

export interface SandboxServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly checksSchemas: boolean;
  /** Whether Kueue's kinds are served. */
  readonly hasKueue: boolean;
  /** Whether requests create Pods, which need their ServiceAccount. */
  readonly takesPods: boolean;
}

/** Without managedFields, which Millrace does not read and which would slow every write. */
export function createSandboxServer(options: SandboxServerOptions): SandboxServer {
  const { clock, random, checksSchemas, hasKueue, takesPods } = options;
  const sandbox = createSandbox({
    ...{
      clock,
      random,
      historySize,
      types: [...typesOf(checksSchemas), ...(hasKueue ? kueueTypes() : [])],
    },
    ...{ hasInitialObjects: false, tracksFieldOwners: false, storesAnySize: true },
  });
  const { api, store } = sandbox;
  const client = sandbox.client({ user: 'simulation', fieldManager: 'simulation' });
  createNamespace(api);
  if (takesPods) createServiceAccount(api);
  if (checksSchemas) createPolicies(api);
  return {
    api,
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
      const exact = { ...options, resourceVersion, resourceVersionMatch: 'Exact' } as const;
      return () => client.list(resource, exact);
    },
    sendBookmarks: () => api.sendBookmarks(),
    flowType: typeOf(api, resources.JobFlow),
    podType: typeOf(api, resources.Pod),
    eventType: typeOf(api, resources.Event),
    nodeType: typeOf(api, resources.Node),
  };
}

const historySize = 2_000;

function opened(
  api: Sandbox['api'],
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

function createNamespace(api: Sandbox['api']): void {
  const body: JsonObject = { metadata: { name: namespace } };
  api.handleNow({ ...callOf(api, 'create', resources.Namespace, '', {}), body });
}

/** As a controller creates one in each namespace. */
function createServiceAccount(api: Sandbox['api']): void {
  const type = api.types.byPath('', 'v1', 'serviceaccounts')!;
  const body: JsonObject = { metadata: { name: 'default', namespace } };
  const call = { verb: 'create', type, namespace, name: '', subresource: '', options: {} } as const;
  api.handleNow({ ...call, body });
}

/** The rules on Millrace's objects beyond their schemas. */
function createPolicies(api: Sandbox['api']): void {
  for (const policy of policiesOfKinds()) {
    const resource = resources[policy.kind as ResourceKind];
    api.handleNow({ ...callOf(api, 'create', resource, '', {}), body: policy });
  }
}

let known: ReturnType<typeof admissionPolicy> | undefined;

/** Derived from the kinds once per process. */
function policiesOfKinds(): ReturnType<typeof admissionPolicy> {
  known ??= kinds.flatMap(admissionPolicy);
  return known;
}

function callOf(
  api: Sandbox['api'],
  verb: ApiCall['verb'],
  resource: Resource,
  where: string,
  options: CallOptions,
): ApiCall {
  const type = typeOf(api, resource);
  return { verb, type, namespace: where, name: '', subresource: '', options };
}

function typeOf({ types }: Sandbox['api'], { group, version, plural }: Resource): ResourceType {
  const type = types.byPath(group, version, plural);
  if (type === undefined) throw new Error(`the sandbox serves no ${plural}`);
  return type;
}

/** Compiled once per process. */
let checkedTypes: readonly Registration[] | undefined;
let uncheckedTypes: readonly Registration[] | undefined;

function typesOf(checksSchemas: boolean): readonly Registration[] {
  checkedTypes ??= [...builtInTypes(), ...ownTypes()];
  uncheckedTypes ??= checkedTypes.map(unchecked);
  return checksSchemas ? checkedTypes : uncheckedTypes;
}

function ownTypes(): readonly Registration[] {
  return kinds.flatMap((kind) =>
    customTypes(customResourceDefinition(kind) as unknown as KubeObject),
  );
}

let kueue: readonly Registration[] | undefined;

/** Without their schemas, because the simulated Kueue writes valid objects. */
function kueueTypes(): readonly Registration[] {
  kueue ??= kueueDefinitions
    .flatMap((definition) => customTypes(definition as unknown as KubeObject))
    .map(unchecked);
  return kueue;
}
