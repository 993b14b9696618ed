/**
 * Kueue's rules on its labels and annotations, in its words (v0.19 jobframework, ValidateJobOnCreate and
 * ValidateJobOnUpdate). The new object decides whether it is suspended. So a request that resumes an object and
 * moves it to another queue is judged as for a running object.
 */
import type { Review } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import {
  annotationsOf,
  dispatchedWorkload,
  elasticAnnotation,
  gatesAnnotation,
  isSuspended,
  labelsOf,
  maxExecTimeLabel,
  minParallelismAnnotation,
  prebuiltIn,
  prebuiltKey,
  priorityLabel,
  queueLabel,
  queueOf,
} from '#shared/domain/queue-labels.ts';
import { changedGateErrors, gateErrors } from './admission-gates.ts';
import {
  type FieldError,
  forbidden,
  immutable,
  invalid,
  shown,
  subdomainFaults,
} from '#shared/domain/field-error.ts';
import { twoQueuesErrors } from './two-queues.ts';

const labelPath = (key: string): string => `metadata.labels[${key}]`;
const annotationPath = (key: string): string => `metadata.annotations[${key}]`;

const withoutQueue = 'queue-name must not be empty in namespace with default queue';

type Submission = Pick<Review, 'object' | 'oldObject' | 'kind'>;

/** `hasDefaultQueue`: the namespace has a LocalQueue for objects that name none. */
export function queueErrors(
  submission: Submission,
  hasDefaultQueue: boolean,
): readonly FieldError[] {
  const own =
    submission.oldObject === undefined
      ? createErrors(submission)
      : updateErrors(submission, hasDefaultQueue);
  return [...own, ...partialErrors(submission), ...twoQueuesErrors(submission)];
}

function createErrors({ object = {}, kind }: Submission): readonly FieldError[] {
  return [
    ...nameErrors(labelsOf(object)[queueLabel], labelPath(queueLabel)),
    ...prebuiltErrors(object, kind),
    ...maxExecTimeErrors(labelsOf(object)[maxExecTimeLabel]),
    ...(isElastic(object)
      ? [
          forbidden(
            annotationPath(elasticAnnotation),
            `elastic job is not supported for ${named(kind)}`,
          ),
        ]
      : []),
    ...gateErrors(annotationsOf(object)[gatesAnnotation] ?? ''),
  ];
}

function updateErrors(
  { object = {}, oldObject = {}, kind }: Submission,
  hasDefaultQueue: boolean,
): readonly FieldError[] {
  const [before, after] = [labelsOf(oldObject), labelsOf(object)];
  const isRunning = !isSuspended(object);
  const kept = (key: string, path = labelPath(key)) =>
    immutable(path, ownMember(before, key) ?? '', ownMember(after, key) ?? '');
  return [
    ...(isRunning ? kept(queueLabel) : []),
    ...(hasDefaultQueue && queueOf(oldObject) !== '' && queueOf(object) === ''
      ? [invalid(labelPath(queueLabel), '', withoutQueue)]
      : []),
    ...(isRunning
      ? immutable(prebuiltOf(object).path, prebuiltOf(oldObject).name, prebuiltOf(object).name)
      : prebuiltErrors(object, kind)),
    ...(isRunning || !isSuspended(oldObject) ? kept(maxExecTimeLabel) : []),
    ...priorityErrors(before[priorityLabel] ?? '', after[priorityLabel] ?? '', isRunning),
    ...(isElastic(oldObject) === isElastic(object)
      ? []
      : [invalid(annotationPath(elasticAnnotation), isElastic(object), 'field is immutable')]),
    ...changedGateErrors(
      annotationsOf(oldObject)[gatesAnnotation] ?? '',
      annotationsOf(object)[gatesAnnotation] ?? '',
    ),
  ];
}

/** With fewer Pods none of these kinds does its work. Stored annotations are kept. */
function partialErrors({ object = {}, oldObject = {}, kind }: Submission): readonly FieldError[] {
  const [before, after] = [oldObject, object].map(
    (each) => annotationsOf(each)[minParallelismAnnotation],
  );
  if (after === undefined || before !== undefined) return [];
  const message = `partial admission is not supported for ${named(kind)}`;
  return [forbidden(annotationPath(minParallelismAnnotation), message)];
}

function nameErrors(name: string | undefined, path: string): readonly FieldError[] {
  return name === undefined ? [] : subdomainFaults(name).map((why) => invalid(path, name, why));
}

function prebuiltOf(object: JsonObject) {
  const { name, field } = prebuiltIn(object);
  return { name, path: `metadata.${field}[${prebuiltKey}]` };
}

/** Kueue refuses them for all kinds that it does not know, and creates them itself for copies by MultiKueue. */
function prebuiltErrors(object: JsonObject, kind: Review['kind']): readonly FieldError[] {
  const { name, path } = prebuiltOf(object);
  if (name === '') return [];
  return [
    ...nameErrors(name, path),
    ...(dispatchedWorkload(object) === undefined
      ? [forbidden(path, `Is not supported for ${named(kind)}`)]
      : []),
  ];
}

/** The format in which Go prints a quoted GroupVersionKind. */
function named({ group, version, kind }: Review['kind']): string {
  return JSON.stringify(`${group}/${version}, Kind=${kind}`);
}

function maxExecTimeErrors(text: string | undefined): readonly FieldError[] {
  if (text === undefined) return [];
  const path = labelPath(maxExecTimeLabel);
  if (!/^[+-]?\d+$/.test(text)) {
    return [
      invalid(path, text, `strconv.Atoi: parsing ${JSON.stringify(shown(text))}: invalid syntax`),
    ];
  }
  const seconds = Number(text);
  return seconds > 0 ? [] : [invalid(path, seconds, 'should be greater than 0')];
}

function priorityErrors(before: string, after: string, isRunning: boolean): readonly FieldError[] {
  const path = labelPath(priorityLabel);
  if (before === '' && after !== '' && isRunning) {
    const why = 'WorkloadPriorityClass cannot be added to a non-suspended workload';
    return [invalid(path, after, why)];
  }
  if (before === '' || after !== '') return [];
  return [invalid(path, '', 'WorkloadPriorityClass cannot be removed from a workload')];
}

function isElastic(object: JsonObject): boolean {
  return annotationsOf(object)[elasticAnnotation] === 'true';
}
