/**
 * Writes sandbox/registry/builtin-schemas.json: the structure of the built-in kinds that the sandbox
 * serves. It comes from /openapi/v3 of the tested API server. The field numbers of Kubernetes'
 * protobuf come from the tags in that version's Go module. Run by hand with `node
 * test/support/generate-builtin-schemas.ts KUBECONFIG`.
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
 * The API server's own kinds that the sandbox serves, by the path of their OpenAPI document. Bodies
 * of subresources have another apiVersion than the document.
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
/** Part of every object, and bodies of requests. */
const always = ['DeleteOptions', 'ListMeta', 'ObjectMeta', 'Status'].map(
  (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
);

/** The content of the file, from the API server behind `kubectl`. */
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

/** Descriptions belong to the API server, and unions are not used. */
const leftOut = new Set(['description', 'x-kubernetes-unions', 'x-kubernetes-group-version-kind']);

/** Keys of `properties` are names of fields and always stay. */
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
