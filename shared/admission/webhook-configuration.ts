/**
 * The webhooks of admissions as the API server takes them (admissionregistration.k8s.io/v1): one
 * configuration for those that change objects and one for those that judge them.
 */
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import type { Admission } from './admission.ts';

export type WebhookConfiguration = NewObject & JsonObject;

export interface Registrar {
  /** Name, labels and annotations of the configurations; each kind of webhook has one. */
  readonly metadata: NewObject['metadata'];
  /** Where the API server finds the admission (WebhookClientConfig). */
  readonly clientConfigOf: (admission: Admission) => JsonObject;
  /** Instead of what the admissions declare: for a server that may vanish without a word. */
  readonly failurePolicy?: 'Ignore';
  /** Absent: every namespace but those of the cluster itself. */
  readonly namespace?: string;
}

/** What runs the cluster waits for no webhook. */
const exemptNamespaces = ['kube-system', 'kube-node-lease', 'kube-public'];
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
      : { matchConditions: matchConditions.map((condition) => ({ ...condition })) }),
    namespaceSelector: namespaceSelector(registrar.namespace),
    failurePolicy: registrar.failurePolicy ?? failurePolicy,
    timeoutSeconds,
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

function namespaceSelector(namespace: string | undefined): JsonObject {
  const [operator, values] =
    namespace === undefined ? ['NotIn', exemptNamespaces] : ['In', [namespace]];
  return { matchExpressions: [{ key: namespaceLabel, operator, values: [...values] }] };
}
