/** Warnings about valid but probably unintended settings. */
import { didYouMean } from '#shared/api/fault.ts';
import type { Component } from '#shared/api/app-wrapper.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { wrappedKindOf } from '#shared/api/wrapped/pod-sets.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf } from '#shared/domain/queue-labels.ts';
import { isUnknownWrapperAnnotation, wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { componentsOf } from '../wrapper-review.ts';

const readable = Object.values(wrapperAnnotations);
const names = readable.map((key) => key.slice(key.indexOf('/') + 1));
const isReadable: ReadonlySet<string> = new Set(readable);

/** Judges only what this request adds. */
export function remarksOn({ object, oldObject }: Review): readonly string[] {
  const before = annotationsOf(oldObject);
  const unknown = Object.keys(annotationsOf(object)).filter(
    (key) => isUnknownWrapperAnnotation(key) && ownMember(before, key) === undefined,
  );
  if (oldObject !== undefined) return unknown.map(unknownWords);
  return [
    ...unknown.map(unknownWords),
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
