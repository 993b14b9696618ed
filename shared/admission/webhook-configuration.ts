/**
 * The webhooks of admissions as the API server takes them (admissionregistration.k8s.io/v1): one
 * configuration for those that change objects and one for those that judge them.
 */
import { workKinds } from '#shared/api/work/work-kinds.ts';
import { exemptNamespaces } from '#shared/domain/exempt-namespaces.ts';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Admission } from './admission.ts';

export type WebhookConfiguration = NewObject & JsonObject;

export interface Registrar {
  /** Name, labels and annotations of the configurations; each kind of webhook has one. */
  readonly metadata: NewObject['metadata'];
  /** Where the API server finds the admission (WebhookClientConfig). */
  readonly clientConfigOf: (admission: Admission) => JsonObject;
  /**
   * The server may vanish without a word: then nothing of the cluster's own may wait for it. What is ours alone
   * fails closed all the same.
   */
  readonly mayVanish?: boolean;
  /** The only one whose objects are reviewed. Absent: every one that is not exempt. */
  readonly namespace?: string;
  /** Where the server itself is. Absent: in no namespace of the cluster. */
  readonly own?: string;
}

const ownWork = workKinds.filter(({ isOurs }) => isOurs === true).map(({ resource }) => resource);
const ownGroups: ReadonlySet<string> = new Set(
  [...ownWork, resources.SuspendPolicy, resources.ClusterSuspendPolicy].map(({ group }) => group),
);
const namespaceLabel = 'kubernetes.io/metadata.name';

export function webhookConfigurations(
  admissions: readonly Admission[],
  registrar: Registrar,
): readonly WebhookConfiguration[] {
  const kinds = {
    mutating: 'MutatingWebhookConfiguration',
    validating: 'ValidatingWebhookConfiguration',
  } as const;
  return (['mutating', 'validating'] as const).flatMap((mode) => {
    const concerned = admissions.filter((admission) => admission.mode === mode);
    if (concerned.length === 0) return [];
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: kinds[mode],
        metadata: registrar.metadata,
        webhooks: concerned.map((admission) => webhook(admission, registrar)),
      } as unknown as WebhookConfiguration,
    ];
  });
}

/** As the webhook is called in what the API server says of it. */
export function webhookName({ name }: Pick<Admission, 'name'>): string {
  return `${name}.millrace.dev`;
}

/** The inverse of {@link webhookName}. */
export function admissionNameOf(webhook: string): string {
  return webhook.replace(/\.millrace\.dev$/, '');
}

function webhook(admission: Admission, registrar: Registrar): JsonObject {
  const { timeoutSeconds, matchConditions = [], failurePolicy } = admission.registration;
  return {
    name: webhookName(admission),
    clientConfig: registrar.clientConfigOf(admission),
    rules: admission.reviews.map(({ resource, subresource = '', operations }) => ({
      apiGroups: [resource.group],
      apiVersions: [resource.version],
      resources: [subresource === '' ? resource.plural : `${resource.plural}/${subresource}`],
      operations: [...operations],
    })),
    ...(matchConditions.length === 0
      ? {}
      : { matchConditions: matchConditions.map(({ name, expression }) => ({ name, expression })) }),
    namespaceSelector: namespaceSelector(registrar),
    failurePolicy: registrar.mayVanish === true && !isOurs(admission) ? 'Ignore' : failurePolicy,
    timeoutSeconds,
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

/** Whether it reviews objects of ours only. */
function isOurs({ reviews }: Admission): boolean {
  return reviews.every(({ resource }) => ownGroups.has(resource.group));
}

function namespaceSelector({ namespace, own }: Registrar): JsonObject {
  const [operator, values] =
    namespace === undefined ? ['NotIn', exemptNamespaces({ own })] : ['In', [namespace]];
  return { matchExpressions: [{ key: namespaceLabel, operator, values: [...values] }] };
}
