/** Asks the cluster about a submission: as little as the verdict needs, and within limits. */
import type { Child, KnownTemplates } from '#shared/api/work/submission/submission.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { type AccessAnswer, impersonation } from '#shared/kube/access-review.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { guardedServiceAccounts, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { specOf } from './job-spec.ts';
import { faultsOf, maxServiceAccounts } from './bounds.ts';
import { changesWork, kindOf, objectOf, type SubmittedKind } from './submission.ts';
import { tryChildren, type TriedChildren } from './trials.ts';

export interface SubmissionFacts extends TriedChildren {
  /** The policy at the time of the review. */
  readonly policy: PodPolicy;
  readonly mayCreateJobs: AccessAnswer;
  /** Whether the submitter may act as a service account, by its name. */
  readonly mayImpersonate: Readonly<Record<string, boolean>>;
  readonly templates: KnownTemplates;
  readonly missingNodes: readonly string[];
}

/** Limit for nodes that are looked up. They can only cause a warning. */
const maxNodes = 20;
const atOnce = 16;

/** Undefined: nothing that is run changes, so nothing is asked. Throws MR_API_* if the answers are unknown. */
export async function lookUp(
  review: Review,
  policy: PodPolicy,
  cluster: Inquiry,
  signal: AbortSignal,
): Promise<SubmissionFacts | undefined> {
  if (!changesWork(review)) return undefined;
  const kind = kindOf(review);
  const mayCreateJobs = mayCreate(kind, review, cluster, signal);
  const isRunnable = faultsOf(kind, objectOf(review)).length === 0;
  const [access, templates, missingNodes] = await Promise.all([
    mayCreateJobs,
    isRunnable ? templatesOf(kind, review, cluster) : {},
    isRunnable ? missingNodesOf(kind, review, cluster) : [],
  ]);
  // Without the right, or with an invalid object, the user needs no further answers.
  const children =
    isRunnable && access.allowed ? kind.children(objectOf(review), templates).children : [];
  const [mayImpersonate, tried] = await Promise.all([
    impersonable(children, { review, policy, cluster, signal }),
    tryChildren(kind.creates, children, cluster, signal),
  ]);
  return { policy, mayCreateJobs: access, mayImpersonate, templates, missingNodes, ...tried };
}

function mayCreate(
  { creates: resource }: SubmittedKind,
  { user, namespace }: Review,
  cluster: Inquiry,
  signal: AbortSignal,
) {
  return cluster.access({ user, verb: 'create', resource, namespace }, signal);
}

async function templatesOf(
  { templates }: SubmittedKind,
  review: Review,
  { reader }: Inquiry,
): Promise<KnownTemplates> {
  if (templates === undefined) return {};
  const { namespace } = review;
  const found = await all(templates.namesIn(objectOf(review)), async (name) => {
    const template = await reader.get(templates.resource, { namespace, name });
    return [name, template === undefined ? null : templates.jobOf(template)] as const;
  });
  return Object.fromEntries(found);
}

async function missingNodesOf(
  kind: SubmittedKind,
  review: Review,
  { reader }: Inquiry,
): Promise<readonly string[]> {
  const names = [...(kind.nodeNames?.(objectOf(review)).keys() ?? [])].slice(0, maxNodes);
  try {
    const found = await all(names, (name) => reader.get(resources.Node, { namespace: '', name }));
    return names.filter((_, index) => found[index] === undefined);
  } catch (error) {
    // Nodes only cause a warning, so without the right to read them there is none.
    if (hasCode(error, 'MR_API_FORBIDDEN')) return [];
    throw error;
  }
}

interface Asking {
  readonly review: Review;
  readonly policy: PodPolicy;
  readonly cluster: Inquiry;
  readonly signal: AbortSignal;
}

async function impersonable(
  children: readonly Child[],
  { review, policy, cluster, signal }: Asking,
): Promise<SubmissionFacts['mayImpersonate']> {
  const { user, namespace } = review;
  const names = serviceAccountsOf(children, policy).slice(0, maxServiceAccounts);
  const found = await all(names, async (name) => {
    const answer = await cluster.access(impersonation(user, namespace, name), signal);
    return [name, answer.allowed] as const;
  });
  return Object.fromEntries(found);
}

function serviceAccountsOf(children: readonly Child[], policy: PodPolicy): readonly string[] {
  const used = children.flatMap(({ job }) => guardedServiceAccounts(specOf(job), policy));
  return [...new Set(used.map(({ value }) => value))];
}

/** Throws the first error, but only when all work has ended. */
async function all<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const { results, errors } = await eachBounded(items, atOnce, work);
  if (errors.length > 0) throw errors[0];
  return results;
}
