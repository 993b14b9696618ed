/**
 * Adds the default queue and the creator to a new AppWrapper. Labels name the creator for people, as far as a label
 * can hold a name. An annotation is for later checks of this user's rights. Users may write none of the three.
 * suspend-admission, which comes later, suspends the AppWrapper if it waits in a queue.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import type { AdmissionDecision, Review, ReviewUser } from '#shared/domain/admission-decision.ts';
import { fieldsOf, isObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf, labelsOf, queueLabel, queueOf } from '#shared/domain/queue-labels.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import { componentsOf, isPlaced, mapOf, reviewedWrappers } from './wrapper-review.ts';
import type { WrapperSettings } from './wrapper-settings.ts';

type Defaults = Pick<WrapperSettings, 'defaultQueue'>;
type Texts = Readonly<Record<string, string>>;

const { submitter } = annotations;

export const completeWrapper: Admission<Defaults, { readonly wrappers: WrapperSettings }> =
  defineAdmission({
    name: 'appwrapper-defaults',
    mode: 'mutating',
    reviews: reviewedWrappers,
    registration: {
      // Without this admission the owner of the AppWrapper would be unknown.
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      matchConditions: [
        {
          name: 'created-or-left-out',
          expression: `oldObject == null || ('${submitter}' in ${mapOf('oldObject', 'annotations')} && !('${submitter}' in ${mapOf('object', 'annotations')})) || (${isPlaced('oldObject')} && !${isPlaced('object')})`,
        },
      ],
    },
    lookUp: async (_review, { wrappers: { defaultQueue } }) => ({ defaultQueue }),
    decide: (review, { facts }) => decide(review, facts),
  });

function decide({ object = {}, oldObject, user }: Review, { defaultQueue }: Defaults) {
  if (oldObject !== undefined) return restored(object, oldObject);
  return written(object, {
    labels: {
      ...(defaultQueue === '' ? {} : { [queueLabel]: defaultQueue }),
      ...labelsOf(object),
      ...userLabels(user),
    },
    annotations: { ...annotationsOf(object), [submitter]: submitterText(user) },
  });
}

/** Clients that replace an object leave out what they do not know. */
function restored(object: JsonObject, oldObject: JsonObject): AdmissionDecision {
  const placed = withPlacement(object, oldObject);
  const before = ownMember(annotationsOf(oldObject), submitter);
  const own = annotationsOf(object);
  if (before === undefined || ownMember(own, submitter) !== undefined) return written(placed, {});
  return written(placed, { annotations: { ...own, [submitter]: before } });
}

/**
 * `kubectl apply` of the author's manifest leaves out the placement of a running AppWrapper. Its next try would run
 * outside its quota. A suspension takes the placement away on purpose.
 */
function withPlacement(object: JsonObject, oldObject: JsonObject): JsonObject {
  const spec = fieldsOf(object['spec']);
  if (queueOf(object) === '' || spec['suspend'] === true) return object;
  const before = componentsOf(oldObject);
  const components = componentsOf(object).map((component, index) => {
    const { podSetInfos } = before[index] ?? {};
    return podSetInfos === undefined ? component : { podSetInfos, ...component };
  });
  return { ...object, spec: { ...spec, components: components as readonly JsonObject[] } };
}

function written(
  object: JsonObject,
  fields: { readonly labels?: Texts; readonly annotations?: Texts },
): AdmissionDecision {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return { allowed: true, object: { ...object, metadata: { ...metadata, ...fields } } };
}

function userLabels({ username, uid = '' }: ReviewUser): Texts {
  return { [wrapperLabels.user]: asLabel(username), [wrapperLabels.userId]: asLabel(uid) };
}

const longestLabel = 63;

/** As in the original: characters that a label cannot hold become underscores. */
export function asLabel(text: string): string {
  return text
    .slice(0, longestLabel)
    .replaceAll(/[^-_.A-Za-z0-9]/g, '_')
    .replace(/^[-_.]+/, '')
    .replace(/(?<![-_.])[-_.]+$/, '');
}
