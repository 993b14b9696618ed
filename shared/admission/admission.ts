/**
 * An admission as data: which requests it reviews, what it looks up, how it decides, and what its webhook
 * configuration needs. Kubernetes: "Admission Webhook Good Practices".
 */
import type {
  AdmissionDecision,
  Review,
  ReviewedOperation,
  ReviewInput,
} from '#shared/domain/admission-decision.ts';
import { resourceKey, type Resource } from '#shared/domain/objects.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';

/** Methods, so that a list may hold admissions with different facts and services. */
export interface Admission<Facts = unknown, Services = unknown> {
  /** A DNS label, which is also the last part of its URL. */
  readonly name: string;
  /** Only a mutating admission may change the object. */
  readonly mode: 'validating' | 'mutating';
  readonly reviews: readonly ReviewedResource[];
  readonly registration: Registration;
  /**
   * The only reads: from the cluster and from the host's services (with-services.ts). `signal` aborts when the time is
   * up. Absent: the facts are undefined.
   */
  lookUp?(review: Review, known: Inquiry & Services, signal: AbortSignal): Promise<Facts>;
  /** Pure (law 4) and idempotent: the API server may ask again about the changed object. */
  decide(review: Review, input: ReviewInput<Facts>): AdmissionDecision;
}

export interface ReviewedResource {
  readonly resource: Pick<Resource, 'group' | 'version' | 'plural'>;
  /** Absent: the object itself. */
  readonly subresource?: string;
  readonly operations: readonly ReviewedOperation[];
}

/** The settings of the webhook configuration that are not derived. Side effects are always None. */
export interface Registration {
  /** Without an answer, the API server refuses the request (Fail) or lets it pass (Ignore). */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** The API server waits this many whole seconds: 3 to 10. The last second is reserved for the way back. */
  readonly timeoutSeconds: number;
  /** CEL expressions that must all be true. At most 64. */
  readonly matchConditions?: readonly MatchCondition[];
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
  /**
   * Whether the host's services make the webhook unnecessary. A manifest has no services, so it includes the webhook.
   * Absent: never.
   */
  unless?(services: unknown): boolean;
}

const leftForTheWayMs = 1_000;

/** The time that a review may take from arrival to answer. Integer milliseconds. */
export function reviewBudgetMs({ registration }: Pick<Admission, 'registration'>): number {
  return registration.timeoutSeconds * 1000 - leftForTheWayMs;
}

/**
 * Resources that must never be intercepted. A webhook that is down would block what it needs to come back: Pods,
 * Leases of nodes and leaders, and questions about rights. Secrets must not appear in reviews.
 */
const untouchable: ReadonlySet<string> = new Set([
  'pods',
  'secrets',
  'leases.coordination.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
]);

const dnsLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const maxMatchConditions = 64;
const minTimeoutSeconds = 3;
const maxTimeoutSeconds = 10;

/** Returns the declaration. Throws an Error with every fault, because each is a mistake of the author. */
export function defineAdmission<Facts, Services>(
  admission: Admission<Facts, Services>,
): Admission<Facts, Services> {
  const faults = faultsOf(admission);
  if (faults.length > 0) throw new Error(`admission ${admission.name}: ${faults.join('; ')}`);
  return admission;
}

function faultsOf({ name, reviews, registration }: Admission): readonly string[] {
  const { timeoutSeconds, matchConditions = [] } = registration;
  const conditionNames = new Set(matchConditions.map((condition) => condition.name));
  const isLongEnough = timeoutSeconds >= minTimeoutSeconds;
  return [
    dnsLabel.test(name) ? [] : ['the name is no DNS label'],
    reviews.length > 0 ? [] : ['it reviews nothing'],
    reviews.flatMap(faultsOfReviewed),
    Number.isInteger(timeoutSeconds) && isLongEnough && timeoutSeconds <= maxTimeoutSeconds
      ? []
      : [
          `timeoutSeconds is ${timeoutSeconds}, which is not one of ${minTimeoutSeconds} to ${maxTimeoutSeconds}`,
        ],
    matchConditions.length <= maxMatchConditions
      ? []
      : [`more than ${maxMatchConditions} matchConditions`],
    conditionNames.size === matchConditions.length ? [] : ['two matchConditions have one name'],
  ].flat();
}

function faultsOfReviewed({ resource, operations }: ReviewedResource): readonly string[] {
  const key = resourceKey(resource);
  return [
    operations.length > 0 ? [] : [`no operation on ${key} is named`],
    key.includes('*') ? [`${key} would include resources that are not named`] : [],
    untouchable.has(key) ? [`${key} must never be intercepted`] : [],
  ].flat();
}

/** Whether the declaration covers the review's resource and operation. */
export function isReviewed({ reviews }: Admission, review: Review): boolean {
  return reviews.some(
    ({ resource, subresource = '', operations }) =>
      resourceKey(resource) === resourceKey(review.resource) &&
      resource.version === review.resource.version &&
      subresource === review.subresource &&
      operations.includes(review.operation),
  );
}
