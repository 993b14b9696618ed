/**
 * Writes sandbox/registry/builtin-schemas.json: the structure of the built-in kinds that
 * the sandbox serves, as the API server of the tested version publishes it under /openapi/v3, and
 * the numbers of their fields in Kubernetes' protobuf, as the Go module of that version tags them.
 * Run by hand with `node test/support/generate-builtin-schemas.ts KUBECONFIG`.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { JsonObject } from '#shared/domain/objects.ts';
import { protobufFields } from './go-protobuf-tags.ts';
import { type Kubectl, kubectlOrThrow, kubectlWith } from './control-plane/kubectl.ts';
import { cacheFolder } from './control-plane/versions.ts';

export const builtinSchemaFile = join(
  import.meta.dirname,
  '../../sandbox/registry/builtin-schemas.json',
);

/**
 * What the sandbox serves of the API server's own kinds, by the path of its OpenAPI document; bodies
 * of subresources have an apiVersion other than the document's.
 */
const served: Readonly<Record<string, readonly string[]>> = {
  'api/v1': [
    'Binding',
    'ConfigMap',
    'Event',
    'LimitRange',
    'Namespace',
    'Node',
    'PersistentVolumeClaim',
    'Pod',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
    'autoscaling/v1 Scale',
    'policy/v1 Eviction',
  ],
  'apis/admissionregistration.k8s.io/v1': [
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apis/authentication.k8s.io/v1': ['SelfSubjectReview', 'TokenReview'],
  'apis/authorization.k8s.io/v1': [
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
  ],
  'apis/batch/v1': ['Job'],
  'apis/coordination.k8s.io/v1': ['Lease'],
  'apis/events.k8s.io/v1': ['Event'],
  'apis/rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'apis/scheduling.k8s.io/v1': ['PriorityClass'],
};

interface Definition extends JsonObject {
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    group: string;
    version: string;
    kind: string;
  }[];
}
type Definitions = Readonly<Record<string, Definition>>;

const refPrefix = '#/components/schemas/';
/** Read with every object, and as bodies of requests. */
const always = ['DeleteOptions', 'ListMeta', 'ObjectMeta', 'Status'].map(
  (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
);

/** The content of the file, as the API server behind `kubectl` publishes it. */
export async function builtinSchemas(kubectl: Kubectl): Promise<string> {
  const kinds: Record<string, string> = {};
  const found: Record<string, Definition> = {};
  for (const [path, names] of Object.entries(served)) {
    const all = await definitionsOf(kubectl, path);
    for (const name of names) {
      const kind = name.includes(' ') ? name : `${path.replace(/^apis?\//, '')} ${name}`;
      const root = rootOf(all, kind);
      kinds[kind] = root;
      collect(all, root, found);
    }
    for (const name of always) collect(all, name, found);
  }
  const names = Object.keys(found).sort();
  const fields = await protobufFields(names);
  const lines = (of: (name: string) => unknown, keys: readonly string[]) =>
    keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(of(key))}`).join(',\n');
  return [
    '{"kinds":{',
    lines((key) => kinds[key], Object.keys(kinds)),
    '},"definitions":{',
    lines((key) => structureOf(found[key]), names),
    '},"protobuf":{',
    lines((key) => fields[key], Object.keys(fields).sort()),
    '}}\n',
  ].join('\n');
}

async function definitionsOf(kubectl: Kubectl, path: string): Promise<Definitions> {
  const text = await kubectlOrThrow(kubectl, ['get', '--raw', `/openapi/v3/${path}`]);
  return (JSON.parse(text) as { components: { schemas: Definitions } }).components.schemas;
}

/** The definition of a kind, given as `batch/v1 Job`. */
function rootOf(all: Definitions, kind: string): string {
  const root = Object.entries(all).find(([, definition]) =>
    definition['x-kubernetes-group-version-kind']?.some(
      (gvk) => kind === `${gvk.group === '' ? '' : `${gvk.group}/`}${gvk.version} ${gvk.kind}`,
    ),
  );
  if (root === undefined) throw new Error(`the API server publishes no ${kind}`);
  return root[0];
}

function collect(all: Definitions, name: string, found: Record<string, Definition>): void {
  const definition = all[name];
  if (found[name] !== undefined || definition === undefined) return;
  found[name] = definition;
  JSON.stringify(definition, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') {
      collect(all, value.slice(refPrefix.length), found);
    }
    return value;
  });
}

/** Sentences are the API server's, not ours; unions are read by nobody. */
const leftOut = new Set(['description', 'x-kubernetes-unions', 'x-kubernetes-group-version-kind']);

/** Keys of `properties` are names of fields and stay, whatever they are called. */
function structureOf(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => structureOf(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => isNames || !leftOut.has(key));
  return Object.fromEntries(
    entries.map(([key, child]): [string, unknown] =>
      key === '$ref' && typeof child === 'string'
        ? [key, child.slice(refPrefix.length)]
        : [key, structureOf(child, key === 'properties' && !isNames)],
    ),
  );
}

const [, script, kubeconfig] = process.argv;
if (isMainThread && script === import.meta.filename && kubeconfig !== undefined) {
  const kubectl = kubectlWith(join(cacheFolder(), 'kubectl'), kubeconfig);
  await writeFile(builtinSchemaFile, await builtinSchemas(kubectl));
}
