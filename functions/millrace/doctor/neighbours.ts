/** Other controllers in the cluster, and whether they are compatible with Millrace. */
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { noOtherController } from '../installation/cluster-checks.ts';
import { knativeService } from '../installation/installed-resources.ts';
import { kueueCheck } from '../installation/kueue-check.ts';
import {
  failure,
  type Finding,
  findingOf,
  millrace,
  ok,
  type Patient,
  warning,
} from './examination.ts';

export async function examineNeighbours(patient: Patient): Promise<readonly Finding[]> {
  const { client, cluster } = patient;
  const [controller, kueue, webhooks, knative] = await Promise.all([
    noOtherController(client),
    kueueCheck(client),
    otherWebhooks(patient),
    knativeOf(patient),
  ]);
  const look = `${cluster.kubectl} get deployments -n kueue-system`;
  return [
    ...[controller, kueue].map((check) => findingOf(check, look, patient)),
    ...webhooks,
    knative,
  ];
}

/** Another controller of AppWrappers has its own webhooks, in any namespace. */
async function otherWebhooks({ client, cluster }: Patient): Promise<readonly Finding[]> {
  const { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } = resources;
  const found = await Promise.all(
    [MutatingWebhookConfiguration, ValidatingWebhookConfiguration].map(async (resource) =>
      (await listed(client, resource))
        .filter((each) => isAboutWrappers(each) && !isOurs(each))
        .map(({ metadata: { name } }) => {
          const detail = `${resource.kind} ${name} is not of Millrace: another controller of AppWrappers may be installed`;
          const next = `${cluster.kubectl} describe ${resource.plural} ${name}`;
          return warning('webhooks of AppWrappers', detail, next);
        }),
    ),
  );
  return found.flat();
}

/** Empty if they may not be listed. */
async function listed(
  client: Patient['client'],
  resource: Resource,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(resource, {})).items;
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return [];
    throw error;
  }
}

/** Kueue's webhooks, which cover all queued kinds besides its own, do not count. */
function isAboutWrappers(configuration: KubeObject): boolean {
  const { webhooks } = configuration as { readonly webhooks?: unknown };
  const groups = listOf(webhooks)
    .flatMap((webhook) => listOf(fieldsOf(webhook)['rules']))
    .flatMap((rule) => listOf(fieldsOf(rule)['apiGroups']));
  return groups.includes(resources.AppWrapper.group) && !groups.includes(resources.Workload.group);
}

/** Webhooks of an installation, or of `millrace run` and `up`. */
function isOurs({ metadata: { labels = {} } }: KubeObject): boolean {
  return ['app.kubernetes.io/part-of', 'app.kubernetes.io/managed-by'].some(
    (key) => labels[key] === 'millrace',
  );
}

async function knativeOf(patient: Patient): Promise<Finding> {
  const about = 'Knative Serving';
  try {
    await patient.client.list(knativeService, { limit: 1 });
    return ok(about, 'is served');
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return ok(about, 'is served');
    if (!hasCode(error, 'MR_API_NOT_FOUND')) throw error;
  }
  return patient.chosen?.knative === true
    ? failure(about, 'is not served, and functions run on it', millrace(patient, 'upgrade'))
    : ok(about, 'is not there; functions run as Deployments');
}
