/** The installed Pods: which variant, whether complete and ready, and which version. */
import { processes } from '#functions/processes.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { partOf } from '#shared/installation/names.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Chosen, chosenManifests } from '../installation/chosen.ts';
import { stateOf } from '../installation/cluster-checks.ts';
import { deployments, knativeService } from '../installation/installed-resources.ts';
import {
  failure,
  type Finding,
  findingOf,
  kubectl,
  millrace,
  ok,
  type Patient,
  warning,
} from './examination.ts';

type Reader = Pick<KubeClient, 'list'>;

const labelSelector = Object.entries(partOf)
  .map(([name, value]) => `${name}=${value}`)
  .join();
const minScale = 'autoscaling.knative.dev/min-scale';

/** The options of the installation, as its Pods show them. Undefined: nothing is installed here. */
export async function installedAs(client: Reader, namespace: string): Promise<Chosen | undefined> {
  const { plain, knative } = await runningIn(client, namespace);
  const all = [...plain, ...knative];
  if (all.length === 0) return undefined;
  const environment = new Map(all.flatMap((each) => environmentOf(each)));
  return {
    namespace,
    knative: knative.length > 0,
    namespaced: environment.has('MILLRACE_SERVED_NAMESPACE'),
    externalRedis: environment.get('MILLRACE_TRIAL_REDIS') === 'false',
    certManager: environment.get('MILLRACE_CERT_MANAGER') === 'true',
  };
}

export async function examineInstallation(patient: Patient): Promise<readonly Finding[]> {
  const { client, namespace, chosen, way } = patient;
  if (way === 'run' || way === 'up')
    return [ok('Millrace', `\`millrace ${way}\` serves this cluster`)];
  if (chosen === undefined) {
    const detail = `is not installed in the namespace ${namespace}, and no \`millrace run\` has registered webhooks`;
    return [failure('Millrace', detail, millrace(patient, installing(namespace)))];
  }
  const manifests = chosenManifests(chosen).filter(({ kind }) => !isElsewhere(kind));
  const checks = await stateOf(client, manifests);
  const bad = checks.filter(({ isGood }) => !isGood);
  const whole = ok('manifests', `all ${checks.length} are there and work`);
  const { plain, knative } = await runningIn(client, namespace);
  return [
    ...(bad.length === 0 ? [whole] : []),
    ...bad.map((check) => findingOf(check, whyNot(check.about, patient), patient)),
    versionOf([...plain, ...knative], patient),
    ...sleepers(knative, patient),
  ];
}

/** Other groups of checks examine these kinds. */
function isElsewhere(kind: string): boolean {
  return kind === 'CustomResourceDefinition' || kind.endsWith('WebhookConfiguration');
}

function installing(namespace: string): string {
  return namespace === 'millrace' ? 'install' : `install -n ${namespace}`;
}

/** `about` is a result of `nameOf`. */
function whyNot(about: string, patient: Patient): string {
  const [type = '', name = ''] = about.split('/');
  return type.startsWith('deployments')
    ? kubectl(patient, `rollout restart deployment/${name}`)
    : kubectl(patient, `describe ${about}`);
}

interface Running {
  readonly plain: readonly KubeObject[];
  readonly knative: readonly KubeObject[];
}

async function runningIn(client: Reader, namespace: string): Promise<Running> {
  const listed = async (resource: Resource): Promise<readonly KubeObject[]> => {
    try {
      return (await client.list(resource, { namespace, labelSelector })).items;
    } catch (error) {
      if (hasCode(error, 'MR_API_NOT_FOUND')) return [];
      throw error;
    }
  };
  const [plain, knative] = await Promise.all([listed(deployments), listed(knativeService)]);
  return { plain, knative };
}

function templateOf({ spec }: KubeObject) {
  return fieldsOf(fieldsOf(spec)['template']);
}

function containersOf(object: KubeObject) {
  return listOf(fieldsOf(templateOf(object)['spec'])['containers']).map(fieldsOf);
}

function environmentOf(object: KubeObject): readonly (readonly [string, string | undefined])[] {
  return containersOf(object)
    .flatMap(({ env }) => listOf(env).map(fieldsOf))
    .map(({ name, value }) => [textOf(name), typeof value === 'string' ? value : undefined]);
}

/** By the tags of the images. A tag of another form says nothing about the version. */
function versionOf(running: readonly KubeObject[], patient: Patient): Finding {
  const about = 'version';
  const { version } = packageJson;
  const ours = new Set(processes.map(({ name }) => name));
  const others = new Map<string, string[]>();
  for (const object of running.filter(({ metadata }) => ours.has(metadata.name))) {
    const [tag] = containersOf(object).flatMap(({ image }) =>
      typeof image === 'string' ? (/:v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/.exec(image)?.[1] ?? []) : [],
    );
    if (tag === undefined || tag === version) continue;
    others.set(tag, [...(others.get(tag) ?? []), object.metadata.name]);
  }
  if (others.size === 0) return ok(about, `no process is of another version than ${version}`);
  const words = [...others].map(([tag, names]) => `${names.join(', ')} ${tag}`).join('; ');
  const detail = `of another version than this command (${version}): ${words}`;
  return warning(about, detail, millrace(patient, 'upgrade'));
}

/** The API server does not wait until an admission without a Pod has started. */
function sleepers(knative: readonly KubeObject[], patient: Patient): readonly Finding[] {
  const admissions = processes.filter(({ part }) => part === 'admission').map(({ name }) => name);
  return knative
    .filter(({ metadata }) => admissions.includes(metadata.name))
    .map((object) => {
      const { name } = object.metadata;
      const about = `minimum scale of ${name}`;
      const { annotations } = fieldsOf(templateOf(object)['metadata']);
      const scale = textOf(fieldsOf(annotations)[minScale]);
      if (Number(scale) > 0) return ok(about, scale);
      const patch = { spec: { template: { metadata: { annotations: { [minScale]: '2' } } } } };
      return failure(
        about,
        'it may scale to no Pod, and the API server does not wait for one to start',
        kubectl(patient, `patch ksvc ${name} --type=merge -p '${JSON.stringify(patch)}'`),
      );
    });
}
