/** Whether the Kueue of a cluster is one that Millrace works with, and knows the kinds that wait in its queues. */
import { parse } from 'yaml';
import { frameworkName, queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { fieldsOf, isObject, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Check } from './cluster-checks.ts';
import { configMaps, deployments } from './installed-resources.ts';

type Reader = Pick<KubeClient, 'get' | 'list'>;

const namespace = 'kueue-system';
const about = 'Kueue';
/** `[0, 18]`: since then a Workload may have 18 podSets, and annotations name what labels did. */
const oldest = [0, 18] as const;

/** Where it is installed by its own manifests or chart; of another place nothing is known. */
export async function kueueCheck(client: Reader): Promise<Check> {
  const manager = await client.get(deployments, { namespace, name: 'kueue-controller-manager' });
  if (manager === undefined) {
    return { about, isGood: true, detail: `does not run in ${namespace}` };
  }
  const version = versionOf(manager.spec as Json | undefined);
  if (version !== undefined && isTooOld(version)) {
    const detail = `${version.text} is not supported; upgrade it to ${oldest.join('.')} or newer`;
    return { about, isGood: false, detail };
  }
  const words =
    version === undefined ? 'is there, its version is not known' : `${version.text} is supported`;
  const missing = await unregistered(client);
  if (missing === undefined) {
    return { about, isGood: true, detail: `${words}; its configuration was not found` };
  }
  const waiting = await withQueue(client, missing);
  if (waiting.length === 0) return { about, isGood: true, detail: words };
  const detail = `add to integrations.externalFrameworks of its configuration: ${waiting.join(', ')}`;
  return { about, isGood: false, detail };
}

interface Version {
  readonly text: string;
  readonly numbers: readonly number[];
}

function isTooOld({ numbers: [major = 0, minor = 0] }: Version): boolean {
  return major === oldest[0] && minor < oldest[1];
}

/** Of the tag of its image. */
function versionOf(spec: Json | undefined): Version | undefined {
  const { containers } = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec']);
  for (const container of listOf(containers)) {
    const { image } = fieldsOf(container);
    const tag = typeof image === 'string' ? /:v(\d+(?:\.\d+)*)/.exec(image)?.[1] : undefined;
    if (tag !== undefined) return { text: tag, numbers: tag.split('.').map(Number) };
  }
  return undefined;
}

/** Undefined: nobody knows how it is configured. */
async function unregistered(client: Reader): Promise<typeof queuedKinds | undefined> {
  const found = await client.get(configMaps, { namespace, name: 'kueue-manager-config' });
  const { data } = (found ?? {}) as { readonly data?: JsonObject };
  const text = data?.['controller_manager_config.yaml'];
  if (typeof text !== 'string') return undefined;
  const configuration = parse(text) as Json;
  const { integrations } = isObject(configuration) ? configuration : {};
  const { frameworks, externalFrameworks } = fieldsOf(integrations);
  const known = new Set(listOf(externalFrameworks));
  // The wrapper is built into Kueue too.
  const isBuiltIn = (group: string, kind: string): boolean =>
    listOf(frameworks).includes(`${group}/${kind.toLowerCase()}`);
  return queuedKinds.filter(
    (each) =>
      !known.has(frameworkName(each)) && !isBuiltIn(each.resource.group, each.resource.kind),
  );
}

/** Those of which an object waits in a queue: what nobody queues need not be registered. */
async function withQueue(client: Reader, kinds: typeof queuedKinds): Promise<readonly string[]> {
  const asked = kinds.map(async (kind) => {
    const { items } = await client.list(kind.resource, { labelSelector: queueLabel, limit: 1 });
    return items.length === 0 ? [] : [frameworkName(kind)];
  });
  return (await Promise.all(asked)).flat();
}
