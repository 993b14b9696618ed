/** Warnings about valid but probably unintended settings. */
import { didYouMean } from '#shared/api/fault.ts';
import type { Component } from '#shared/api/app-wrapper.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { wrappedKindOf } from '#shared/api/wrapped/pod-sets.ts';
import { shown } from '#shared/domain/field-error.ts';
import { goDurationMs } from '#shared/domain/go-duration.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf } from '#shared/domain/queue-labels.ts';
import { wholeNumber } from '#shared/domain/whole-number.ts';
import { listed } from '#shared/domain/wording.ts';
import { isUnknownWrapperAnnotation, wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { componentsOf } from '../wrapper-review.ts';

const readable = Object.values(wrapperAnnotations);
const names = readable.map((key) => key.slice(key.indexOf('/') + 1));
const isReadable: ReadonlySet<string> = new Set(readable);

/** Judges only what this request adds. */
export function remarksOn({ object, oldObject }: Review): readonly string[] {
  const before = annotationsOf(oldObject);
  const remarks = Object.entries(annotationsOf(object))
    .filter(([key, text]) => ownMember(before, key) !== text)
    .flatMap(([key, text]) => [
      ...(isUnknownWrapperAnnotation(key) ? [unknownWords(key)] : []),
      ...(isReadable.has(key) ? malformedWords(key, text) : []),
    ]);
  if (oldObject !== undefined) return remarks;
  return [
    ...remarks,
    ...componentsOf(object).flatMap((component, index) =>
      remarksOnComponent(component, `spec.components[${index}]`),
    ),
  ];
}

function unknownWords(key: string): string {
  const at = key.indexOf('/') + 1;
  const near = didYouMean(key.slice(at), names);
  const hint = near === undefined ? '' : `; did you mean ${key.slice(0, at)}${near}?`;
  return `metadata.annotations[${key}]: AppWrappers know no such annotation${hint}`;
}

/** The original uses the default, and only its log says so. */
function malformedWords(key: string, text: string): readonly string[] {
  const isList = key.endsWith('ExitCodes');
  const [what, read] = key.endsWith('Duration')
    ? ['a duration such as 1m30s', goDurationMs]
    : ['a whole number', wholeNumber];
  const wrong = (isList ? text.split(',') : [text]).filter((each) => read(each) === undefined);
  if (wrong.length === 0) return [];
  const words = shown(listed(wrong.map((each) => JSON.stringify(each))));
  const instead = isList ? 'it is skipped' : 'the default is used';
  return [`metadata.annotations[${key}]: not ${what}: ${words}; ${instead}`];
}

function remarksOnComponent(
  { annotations = {}, template }: Component,
  path: string,
): readonly string[] {
  const remark = wrappedKindOf(template)?.remark?.(template);
  const misplaced = Object.keys(annotations).filter(
    (key) => isReadable.has(key) || isUnknownWrapperAnnotation(key),
  );
  return [
    ...misplaced.map(
      (key) =>
        `${path}.annotations[${key}]: has no effect there; write it into metadata.annotations`,
    ),
    ...(remark === undefined ? [] : [`${path}.template: ${remark}`]),
  ];
}
