/** What is asked of the cluster about a new AppWrapper: what serves each kind, and whether its author may create it. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import type { AccessAnswer } from '#shared/kube/access-review.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { asWrapper, componentsOf } from './wrapper-review.ts';
import type { WrapperSettings } from './wrapper-settings.ts';

export interface WrapperFacts {
  readonly mostPodSets: number;
  /** By {@link kindKey}. Not there: it was not asked about. */
  readonly kinds: Readonly<Record<string, KindFacts>>;
}

export interface KindFacts {
  /** Null: the API server serves no such kind. */
  readonly resource: Resource | null;
  /** Absent: nobody needs the right. */
  readonly mayCreate?: AccessAnswer;
}

/** One request or two for each. */
export const mostKinds = 32;
const atOnce = 8;

export function kindKey({ apiVersion, kind }: Pick<AppWrapper, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`;
}

/** Undefined: nothing that is wrapped may change any more, so nothing is asked. Throws MR_API_* when nobody knows. */
export async function lookUp(
  review: Review,
  { wrappers, ...cluster }: Inquiry & { readonly wrappers: WrapperSettings },
  signal: AbortSignal,
): Promise<WrapperFacts | undefined> {
  if (review.oldObject !== undefined) return undefined;
  const templates = new Map(
    componentsOf(review.object).map(({ template }) => [kindKey(template), template] as const),
  );
  const asked = templates.size > mostKinds ? [] : [...templates];
  const { results, errors } = await eachBounded(asked, atOnce, async ([key, template]) => {
    const resource = await cluster.resourceOf(template, signal);
    if (!wrappers.checksRights) return [key, { resource: resource ?? null }] as const;
    const question = questionOf(review, template.apiVersion, resource);
    const mayCreate = await cluster.access(question, signal);
    return [key, { resource: resource ?? null, mayCreate }] as const;
  });
  if (errors.length > 0) throw errors[0];
  return { mostPodSets: wrappers.mostPodSets, kinds: Object.fromEntries(results) };
}

/** Of a kind that is not served only a user may create anything who may create everything. */
function questionOf(
  { user, namespace, object }: Review,
  apiVersion: string,
  resource: Resource | undefined,
) {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return {
    ...{ user, verb: 'create', resource: resource ?? { group, version, plural: '*' } },
    namespace: asWrapper(object).metadata.namespace ?? namespace,
  };
}
