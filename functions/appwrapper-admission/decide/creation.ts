/** Checks whether a new AppWrapper may create its components, and whether it can be run. */
import type { Component, WrappedResource } from '#shared/api/app-wrapper.ts';
import { judgeComponent } from '#shared/api/wrapped/component-faults.ts';
import { wrappedKindOf } from '#shared/api/wrapped/pod-sets.ts';
import { podTemplateAt, root } from '#shared/api/wrapped/template-path.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { type FieldError, forbidden, invalid, malformed } from '#shared/domain/field-error.ts';
import { fieldsOf, isObject, textOf } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import { groupVersionOf, resourceKey } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { breachWords } from '#shared/policy/pod-policy.ts';
import { breachesIn, podTemplatePaths } from '#shared/policy/pod-templates.ts';
import { kindKey, type KindFacts, mostKinds, type WrapperFacts } from '../facts.ts';
import { asWrapper, componentsOf } from '../wrapper-review.ts';

interface Findings {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

export function creationFindings(review: Review, facts: WrapperFacts): Findings {
  const components = componentsOf(review.object);
  const judged = components.map((component, index) => {
    const path = `spec.components[${index}]`;
    return { own: kindErrors(component, review, facts, path), ...judgeComponent(component, path) };
  });
  const breaches = components.flatMap((component, index) => breachesBy(component, index, facts));
  const podSets = judged.reduce((sum, each) => sum + each.podSets, 0);
  return {
    errors: [
      ...judged.flatMap(({ own, errors }) => [...own, ...errors]),
      ...countErrors(podSets, facts.mostPodSets, components),
      ...nameErrors(review, podSets),
      ...resourceNameErrors(components),
      ...kindCountErrors(components),
      ...breaches.filter(({ action }) => action === 'deny').map(({ words }) => words),
    ],
    warnings: [
      ...judged.flatMap(({ warnings }) => warnings),
      ...undeclaredIn(components).map(
        ({ component, path }) =>
          `${component}: no podSet has the path ${path}, so no quota is held for its Pods; declare podSets with that path and the number of its Pods`,
      ),
      ...components.flatMap(({ template }) => unservedWarnings(template, facts)),
      ...components.flatMap((each, index) => rightWarnings(each, index, review, facts)),
      ...breaches.filter(({ action }) => action === 'warn').map(({ words }) => words),
    ],
  };
}

/** Whether this user may wrap a resource of this kind here. */
function kindErrors(
  { template }: Component,
  { user, namespace }: Review,
  { kinds, allowedKinds }: WrapperFacts,
  component: string,
): readonly FieldError[] {
  const path = `${component}.template`;
  const metadata = isObject(template['metadata']) ? template['metadata'] : {};
  const { namespace: own = '' } = metadata;
  const known = ownMember(kinds, kindKey(template)) ?? nothingKnown;
  const { resource = null, unanswered, mayCreate } = known;
  const plural = resource?.plural ?? '*';
  return [
    ...(unanswered === undefined ? [] : [unansweredError(path, template, unanswered)]),
    ...(isWrapper(template) ? [forbidden(path, 'Nested AppWrappers are forbidden')] : []),
    ...(own === '' || own === namespace
      ? []
      : [
          forbidden(
            `${path}.metadata.namespace`,
            'AppWrappers cannot create objects in other namespaces',
          ),
        ]),
    ...(isAllowed(template, allowedKinds)
      ? []
      : [
          forbidden(
            path,
            `AppWrappers may not wrap a ${template.kind} of ${template.apiVersion} in this cluster; allowed are ${allowedKinds.join(', ')}`,
          ),
        ]),
    // The original relies on the rights of its controller for this.
    ...(resource === null || resource.namespaced
      ? []
      : [forbidden(path, `AppWrappers cannot create ${plural}, which belong to no namespace`)]),
    ...(mayCreate === undefined || mayCreate.allowed
      ? []
      : [
          forbidden(
            path,
            `User ${user.username} is not authorized to create ${plural} in ${namespace}`,
          ),
        ]),
  ];
}

/** A user with a right to this kind only would be refused in wrong words if it counted as one that is not served. */
function unansweredError(
  path: string,
  { apiVersion, kind }: WrappedResource,
  unanswered: string,
): FieldError {
  const { group, version } = groupVersionOf(apiVersion);
  const why = `what serves ${apiVersion} does not answer (${unanswered}), so it is not known who may create a ${kind}`;
  const next = `create the AppWrapper again when \`kubectl get apiservices ${version}.${group}\` shows it as available`;
  return forbidden(path, `${why}; ${next}`);
}

const nothingKnown: Partial<KindFacts> = {};

function isWrapper({ apiVersion, kind }: WrappedResource): boolean {
  const { group, kind: wrapper } = resources.AppWrapper;
  return kind === wrapper && apiVersion.startsWith(`${group}/`);
}

/** Pod templates, found by shape, of kinds whose number of Pods neither Millrace nor the AppWrapper knows. */
function undeclaredIn(components: readonly Component[]) {
  return components.flatMap(({ template, podSets = [] }, index) => {
    if (wrappedKindOf(template) !== undefined) return [];
    return podTemplatePaths(template)
      .map((at) => (at === '' ? root : `${root}.${at}`))
      .filter((path) => podSets.every((podSet) => podSet.path !== path))
      .filter((path) => 'value' in podTemplateAt(template, path))
      .map((path) => ({ component: `spec.components[${index}]`, path }));
  });
}

/** Kueue's limit for podSets. */
function countErrors(
  podSets: number,
  most: number,
  components: readonly Component[],
): readonly FieldError[] {
  const path = 'spec.components';
  if (podSets === 0) {
    const [found] = undeclaredIn(components);
    const hint =
      found === undefined
        ? ''
        : `; declare podSets of ${found.component}, as path: ${found.path} with the number of its Pods as replicas`;
    return [malformed(path, `components contains no podspecs${hint}`)];
  }
  if (podSets <= most) return [];
  return [malformed(path, `components contains ${podSets} podspecs; at most ${most} are allowed`)];
}

const longestLabel = 63;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * The original accepts such a name, and the AppWrapper never runs: every Pod gets the name as a label, and the
 * podSets of its Workload are named after it.
 */
function nameErrors({ object }: Review, podSets: number): readonly FieldError[] {
  const { name = '' } = asWrapper(object).metadata as { readonly name?: string };
  const path = 'metadata.name';
  if (name.length > longestLabel) {
    return [
      invalid(
        path,
        name,
        `must be no more than ${longestLabel} characters: it is a label of the Pods`,
      ),
    ];
  }
  if (name === '' || queueOf(object) === '') return [];
  const suffix = `-${Math.max(0, podSets - 1)}`;
  const most = longestLabel - suffix.length;
  if (name.length <= most && label.test(name)) return [];
  const why = `in a queue of Kueue it must be a DNS label of no more than ${most} characters, without dots: podSets are called by it`;
  return [invalid(path, name, why)];
}

/** The original accepts them. A resource without a name is never created, and two with one name are one. */
function resourceNameErrors(components: readonly Component[]): readonly FieldError[] {
  const found = new Map<string, number>();
  return components.flatMap(({ template }, index) => {
    const path = `spec.components[${index}].template.metadata`;
    const { name, generateName } = fieldsOf(template['metadata']);
    if (textOf(name) === '') {
      return textOf(generateName) === '' ? [`${path}: Required value: name or generateName`] : [];
    }
    const key = `${groupVersionOf(template.apiVersion).group} ${template.kind} ${textOf(name)}`;
    const twin = found.get(key);
    if (twin === undefined) {
      found.set(key, index);
      return [];
    }
    const why = `spec.components[${twin}] has the same kind and name`;
    return [`${path}.name: Duplicate value: ${JSON.stringify(name)}: ${why}`];
  });
}

/** Each kind costs one to three requests while the user waits. */
function kindCountErrors(components: readonly Component[]): readonly FieldError[] {
  const count = new Set(components.map(({ template }) => kindKey(template))).size;
  if (count <= mostKinds) return [];
  return [
    malformed(
      'spec.components',
      `components are of ${count} kinds; at most ${mostKinds} are allowed`,
    ),
  ];
}

/** The definition of the kind may still be installed. */
function unservedWarnings(template: WrappedResource, { kinds }: WrapperFacts): readonly string[] {
  if (ownMember(kinds, kindKey(template))?.resource !== null) return [];
  const { apiVersion, kind } = template;
  return [
    `the cluster serves no ${kind} of ${apiVersion} yet: it cannot be created before it does`,
  ];
}

function isAllowed(template: WrappedResource, allowed: readonly string[]): boolean {
  const { group } = groupVersionOf(template.apiVersion);
  const suffix = group === '' ? '' : `.${group}`;
  const names = [`${template.kind}${suffix}`, `*${suffix}`];
  return allowed.length === 0 || names.some((each) => allowed.includes(each));
}

/** The author should learn it now, not after the admission. */
function rightWarnings(
  { template }: Component,
  index: number,
  { namespace }: Review,
  { kinds }: WrapperFacts,
): readonly string[] {
  const { resource, mayBeCreated } = ownMember(kinds, kindKey(template)) ?? nothingKnown;
  if (resource === undefined || resource === null || mayBeCreated?.allowed !== false) return [];
  return [
    `spec.components[${index}].template: Millrace may not create ${resourceKey(resource)} in ${namespace} yet; an administrator allows it with a ClusterRole that has the label ${labels.aggregateToWrapped}=true`,
  ];
}

/** The right to use another service account is checked when the Pods are created. */
function breachesBy({ template }: Component, index: number, { policy }: WrapperFacts) {
  return breachesIn(template, policy)
    .filter(({ rule }) => rule !== 'serviceAccount')
    .map((breach) => {
      const path = `spec.components[${index}].template.${breach.path}`;
      return { action: breach.action, words: breachWords({ ...breach, path }) };
    });
}
