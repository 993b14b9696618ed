/**
 * The webhooks of admissions for the API server (admissionregistration.k8s.io/v1): one configuration for
 * mutating and one for validating ones.
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
  /** Where the API server reaches the admission (WebhookClientConfig). */
  readonly clientConfigOf: (admission: Admission) => JsonObject;
  /**
   * The server may stop without notice, so requests for the cluster's own objects must not wait for it.
   * Millrace's own kinds fail closed nevertheless.
   */
  readonly mayVanish?: boolean;
  /** Only objects in this namespace are reviewed. Absent: all namespaces that are not exempt. */
  readonly namespace?: string;
  /** The server's own namespace. Absent: it does not run in the cluster. */
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

/** The webhook's name in the API server's messages. */
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

/** Whether it reviews Millrace's own objects only. */
function isOurs({ reviews }: Admission): boolean {
  return reviews.every(({ resource }) => ownGroups.has(resource.group));
}

function namespaceSelector({ namespace, own }: Registrar): JsonObject {
  const [operator, values] =
    namespace === undefined ? ['NotIn', exemptNamespaces({ own })] : ['In', [namespace]];
  return { matchExpressions: [{ key: namespaceLabel, operator, values: [...values] }] };
}
