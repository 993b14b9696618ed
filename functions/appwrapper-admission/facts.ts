/**
 * Asks the cluster about a new AppWrapper: which kinds are served, and whether its author may create them.
 */
import type { AppWrapper, WrappedResource } from '#shared/api/app-wrapper.ts';
import { usualKinds } from '#shared/api/wrapped/usual-kinds.ts';
import type { Review, ReviewUser } from '#shared/domain/admission-decision.ts';
import { groupVersionOf, type Resource, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { AccessAnswer } from '#shared/kube/access-review.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { whyUnanswered } from '#shared/kube/why-unanswered.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { asWrapper, componentsOf } from './wrapper-review.ts';
import type { WrapperSettings } from './wrapper-settings.ts';

export interface WrapperFacts {
  readonly mostPodSets: number;
  /** Empty: all. */
  readonly allowedKinds: readonly string[];
  readonly policy: PodPolicy;
  /** By {@link kindKey}. Absent: it was not asked about. */
  readonly kinds: Readonly<Record<string, KindFacts>>;
}

export interface KindFacts {
  /** Null: the API server does not serve this kind. */
  readonly resource: Resource | null;
  /** Why it is unknown whether the API server serves this kind: what serves its group does not answer. */
  readonly unanswered?: string;
  /** Absent: the right is not required. */
  readonly mayCreate?: AccessAnswer;
  /** Whether appwrapper-lifecycle may create it. Absent: its own Role permits it, or its user is unknown. */
  readonly mayBeCreated?: AccessAnswer;
}

/** The services that the process provides. */
export interface WrapperServices {
  readonly wrappers: WrapperSettings;
  readonly policy: PodPolicy;
  /** The user that creates the components. Absent: unknown. */
  readonly creator?: ReviewUser;
}

/** The user of appwrapper-lifecycle in this namespace. */
export function creatorIn(namespace: string): ReviewUser {
  const accounts = 'system:serviceaccounts';
  return {
    username: `system:serviceaccount:${namespace}:appwrapper-lifecycle`,
    groups: [accounts, `${accounts}:${namespace}`, 'system:authenticated'],
    extra: {},
  };
}

/** Limit for kinds. Each costs one to three requests. */
export const mostKinds = 32;
const atOnce = 8;

export function kindKey({ apiVersion, kind }: Pick<AppWrapper, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`;
}

/** Undefined: wrapped resources can no longer change, so nothing is asked. Throws MR_API_* if answers are unknown. */
export async function lookUp(
  review: Review,
  { wrappers, policy, creator, ...cluster }: Inquiry & WrapperServices,
  signal: AbortSignal,
): Promise<WrapperFacts | undefined> {
  if (review.oldObject !== undefined) return undefined;
  const templates = new Map(
    componentsOf(review.object).map(({ template }) => [kindKey(template), template] as const),
  );
  const asked = templates.size > mostKinds ? [] : [...templates];
  const factsOf = async (template: WrappedResource): Promise<KindFacts> => {
    const resource = await resourceOf(template, cluster, signal);
    if (typeof resource === 'string') return { resource: null, unanswered: resource };
    const question = questionOf(review, template.apiVersion, resource);
    const asks = creator !== undefined && resource !== undefined && !isUsual(resource);
    const [mayCreate, mayBeCreated] = await Promise.all([
      wrappers.checksRights ? cluster.access(question, signal) : undefined,
      asks ? cluster.access({ ...question, user: creator }, signal) : undefined,
    ]);
    return {
      resource: resource ?? null,
      ...(mayCreate === undefined ? {} : { mayCreate }),
      ...(mayBeCreated === undefined ? {} : { mayBeCreated }),
    };
  };
  const { results, errors } = await eachBounded(
    asked,
    atOnce,
    async ([key, template]) => [key, await factsOf(template)] as const,
  );
  if (errors.length > 0) throw errors[0];
  const { mostPodSets, allowedKinds } = wrappers;
  return { mostPodSets, allowedKinds, policy, kinds: Object.fromEntries(results) };
}

/** A text says why it is unknown. */
async function resourceOf(
  template: WrappedResource,
  cluster: Inquiry,
  signal: AbortSignal,
): Promise<Resource | string | undefined> {
  try {
    return await cluster.resourceOf(template, signal);
  } catch (error) {
    const why = whyUnanswered(error);
    if (why === undefined) throw error;
    return why;
  }
}

const allowedByOwnRole: ReadonlySet<string> = new Set(
  [...usualKinds, resources.Pod, resources.Job, resources.JobFlow, resources.DaemonJob].map(
    resourceKey,
  ),
);

/** The Role of appwrapper-lifecycle permits it, so it is not asked. */
function isUsual(resource: Resource): boolean {
  return allowedByOwnRole.has(resourceKey(resource));
}

/** For a kind that is not served, the right to create everything is required. */
function questionOf(
  { user, namespace, object }: Review,
  apiVersion: string,
  resource: Resource | undefined,
) {
  const { group, version } = groupVersionOf(apiVersion);
  return {
    ...{ user, verb: 'create', resource: resource ?? { group, version, plural: '*' } },
    namespace: asWrapper(object).metadata.namespace ?? namespace,
  };
}
