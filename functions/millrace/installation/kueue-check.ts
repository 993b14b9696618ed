/** Whether the cluster's Kueue works with Millrace, and knows the kinds that wait in its queues. */
import { parse } from 'yaml';
import { goDurationMs } from '#shared/domain/go-duration.ts';
import { defaultRules } from '#functions/appwrapper-lifecycle/rules.ts';
import { frameworkName, queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { type Check, readable } from './cluster-checks.ts';
import { configMaps, deployments } from './installed-resources.ts';

type Reader = Pick<KubeClient, 'get' | 'list'>;

const namespace = 'kueue-system';
const about = 'Kueue';
const configure =
  `kubectl edit configmap kueue-manager-config -n ${namespace} && ` +
  `kubectl rollout restart deployment/kueue-controller-manager -n ${namespace}`;
/** Since 0.18 a Workload may have 18 podSets, and annotations replace some labels. */
const oldest = [0, 18] as const;
const upgrade = `install Kueue ${oldest.join('.')} or newer: https://kueue.sigs.k8s.io/docs/installation/`;

/** Checks a Kueue that is installed by its own manifests or chart. Other installations are not found. */
export async function kueueCheck(client: Reader): Promise<Check> {
  const manager = await readable(client, deployments, {
    namespace,
    name: 'kueue-controller-manager',
  });
  if (manager === undefined) {
    return { about, isGood: true, detail: `does not run in ${namespace}` };
  }
  const version = versionOf(manager.spec as Json | undefined);
  if (version !== undefined && isTooOld(version)) {
    const detail = `${version.text} is not supported; Millrace needs ${oldest.join('.')} or newer`;
    return { about, isGood: false, detail, next: upgrade };
  }
  const words =
    version === undefined ? 'is there, its version is not known' : `${version.text} is supported`;
  const configuration = await configurationOf(client);
  if (configuration?.['integrations'] === undefined) {
    return { about, isGood: true, detail: `${words}; its configuration was not found` };
  }
  const integrations = fieldsOf(configuration['integrations']);
  const [twice] = queuedKinds
    .map(builtInName)
    .filter((name) => isIn(integrations['frameworks'], name));
  if (twice !== undefined) {
    const detail = `makes Workloads of ${twice} beside those of Millrace; take it out of integrations.frameworks of its configuration`;
    return { about, isGood: false, detail, next: configure };
  }
  const missing = queuedKinds.filter(
    (each) => !isIn(integrations['externalFrameworks'], frameworkName(each)),
  );
  const waiting = await withQueue(client, missing);
  if (waiting.length === 0) {
    const impatience = impatienceOf(configuration);
    return { about, isGood: true, detail: [words, ...impatience].join('; ') };
  }
  const detail = `add to integrations.externalFrameworks of its configuration: ${waiting.join(', ')}`;
  return { about, isGood: false, detail, next: configure };
}

interface Version {
  readonly text: string;
  readonly numbers: readonly number[];
}

function isTooOld({ numbers: [major = 0, minor = 0] }: Version): boolean {
  return major === oldest[0] && minor < oldest[1];
}

/** From the tag of its image. */
function versionOf(spec: Json | undefined): Version | undefined {
  const { containers } = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec']);
  for (const container of listOf(containers)) {
    const { image } = fieldsOf(container);
    const tag = typeof image === 'string' ? /:v(\d+(?:\.\d+)*)/.exec(image)?.[1] : undefined;
    if (tag !== undefined) return { text: tag, numbers: tag.split('.').map(Number) };
  }
  return undefined;
}

/** Undefined: the configuration is unknown. */
async function configurationOf(
  client: Reader,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const found = await readable(client, configMaps, { namespace, name: 'kueue-manager-config' });
  const text = fieldsOf(fieldsOf(found)['data'])['controller_manager_config.yaml'];
  if (typeof text !== 'string') return undefined;
  return fieldsOf(parse(text));
}

/** With a short timeout, Kueue suspends AppWrappers again and again before their own grace is over. */
function impatienceOf(configuration: Readonly<Record<string, unknown>>): readonly string[] {
  const { enable, timeout } = fieldsOf(configuration['waitForPodsReady']);
  const text = typeof timeout === 'string' && enable !== false ? timeout : '';
  const timeoutMs = goDurationMs(text);
  const { warmupGraceMs } = defaultRules.faults;
  if (timeoutMs === undefined || timeoutMs >= warmupGraceMs) return [];
  return [
    `its waitForPodsReady.timeout (${text}) is shorter than the usual warmup grace of AppWrappers (${warmupGraceMs / 60_000}m), so it evicts those whose Pods start slowly; raise it, or set MILLRACE_APPWRAPPER_WARMUP_GRACE of appwrapper-lifecycle`,
  ];
}

/** The name of a kind that Kueue itself integrates, such as the AppWrapper. */
function builtInName({ resource: { group, kind } }: (typeof queuedKinds)[number]): string {
  return `${group}/${kind.toLowerCase()}`;
}

function isIn(names: unknown, name: string): boolean {
  return listOf(names).includes(name);
}

/** Kinds with an object in a queue. Other kinds need not be registered. */
async function withQueue(client: Reader, kinds: typeof queuedKinds): Promise<readonly string[]> {
  const asked = kinds.map(async (kind) => {
    const { items } = await client.list(kind.resource, { labelSelector: queueLabel, limit: 1 });
    return items.length === 0 ? [] : [frameworkName(kind)];
  });
  return (await Promise.all(asked)).flat();
}
