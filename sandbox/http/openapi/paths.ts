/**
 * The paths of a type, with what clients look up in them: the kind of an operation (`kubectl
 * explain`), and the parameters of writes (`--dry-run=server`, validation on the server).
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { VirtualResource } from '../virtual-resources.ts';
import { definitionName } from './definitions.ts';

type Parameter = readonly [name: string, type: 'string' | 'integer' | 'boolean'];

/** The differences between OpenAPI v2 and v3. */
export interface Dialect {
  parameter(name: string, type: string, place: 'query' | 'path'): JsonObject;
  /** The body of a write, and the object in the answer. */
  operation(content: { reads?: string; writes?: readonly string[]; answers: string }): JsonObject;
}

const writeParameters: readonly Parameter[] = [
  ['dryRun', 'string'],
  ['fieldManager', 'string'],
  ['fieldValidation', 'string'],
];
const deleteParameters: readonly Parameter[] = [
  ['dryRun', 'string'],
  ['gracePeriodSeconds', 'integer'],
  ['orphanDependents', 'boolean'],
  ['propagationPolicy', 'string'],
];
const listParameters: readonly Parameter[] = [
  ['allowWatchBookmarks', 'boolean'],
  ['continue', 'string'],
  ['fieldSelector', 'string'],
  ['labelSelector', 'string'],
  ['limit', 'integer'],
  ['resourceVersion', 'string'],
  ['resourceVersionMatch', 'string'],
  ['sendInitialEvents', 'boolean'],
  ['timeoutSeconds', 'integer'],
  ['watch', 'boolean'],
];

const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];

type Paths = Record<string, JsonObject>;

export function addPaths(paths: Paths, type: ResourceType, dialect: Dialect): void {
  const { group, version, plural, namespaced } = type;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const place = namespaced ? ['namespace'] : [];
  const operation = operations(type, dialect);
  if (namespaced) {
    paths[`${root}/${plural}`] = { get: operation.list('ForAllNamespaces') };
  }
  paths[collection] = {
    get: operation.list(),
    post: operation.write('post'),
    delete: operation.remove('deletecollection'),
    parameters: place.map((name) => dialect.parameter(name, 'string', 'path')),
  };
  const parameters = ['name', ...place].map((name) => dialect.parameter(name, 'string', 'path'));
  const item = {
    get: operation.read(),
    put: operation.write('put'),
    patch: operation.write('patch'),
  };
  paths[`${collection}/{name}`] = { ...item, delete: operation.remove('delete'), parameters };
  if (type.subresources.includes('status')) {
    const status = operations(type, dialect, 'Status');
    paths[`${collection}/{name}/status`] = {
      get: status.read(),
      put: status.write('put'),
      patch: status.write('patch'),
      parameters,
    };
  }
}

export function addVirtualPath(paths: Paths, resource: VirtualResource, dialect: Dialect): void {
  const { group, version, plural, namespaced } = resource;
  const scope = namespaced ? '/namespaces/{namespace}' : '';
  const name = definitionName(resource);
  paths[`/apis/${group}/${version}${scope}/${plural}`] = {
    post: {
      ...dialect.operation({ reads: name, writes: ['*/*'], answers: name }),
      'x-kubernetes-action': 'post',
      'x-kubernetes-group-version-kind': gvk(resource),
    },
    parameters: namespaced ? [dialect.parameter('namespace', 'string', 'path')] : [],
  };
}

function operations(type: ResourceType, dialect: Dialect, suffix = '') {
  const name = definitionName(type);
  const parts = [...type.group.split('.'), type.version].filter((part) => part !== '');
  const group = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
  const id = `${group}${type.namespaced ? 'Namespaced' : ''}${type.kind}${suffix}`;
  const operation = (
    verb: string,
    action: string,
    parameters: readonly Parameter[],
    content: Parameters<Dialect['operation']>[0],
  ): JsonObject => {
    const rest = dialect.operation(content);
    const own = parameters.map(([parameter, kind]) => dialect.parameter(parameter, kind, 'query'));
    return {
      ...rest,
      operationId: `${verb}${id}`,
      parameters: [...own, ...((rest['parameters'] ?? []) as readonly Json[])],
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': gvk(type),
    };
  };
  const patches = type.isBuiltIn
    ? [...patchTypes, 'application/strategic-merge-patch+json']
    : patchTypes;
  const verbs = { post: 'create', put: 'replace', patch: 'patch' } as const;
  return {
    list: (where = '') =>
      operation(`list${where}`, 'list', listParameters, { answers: `${name}List` }),
    read: () => operation('read', 'get', [], { answers: name }),
    write: (method: 'post' | 'put' | 'patch') => {
      const isPatch = method === 'patch';
      const parameters: readonly Parameter[] = isPatch
        ? [...writeParameters, ['force', 'boolean']]
        : writeParameters;
      const content = isPatch
        ? { writes: patches, answers: name }
        : { reads: name, writes: ['*/*'], answers: name };
      return operation(verbs[method], method, parameters, content);
    },
    remove: (action: 'delete' | 'deletecollection') =>
      operation(action === 'delete' ? 'delete' : 'deleteCollection', action, deleteParameters, {
        answers: 'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
      }),
  };
}

function gvk({ group, version, kind }: ResourceType | VirtualResource): JsonObject {
  return { group, version, kind };
}
