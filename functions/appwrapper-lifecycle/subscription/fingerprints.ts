import type { AppWrapperStatus } from '#shared/api/app-wrapper.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { annotations as ourAnnotations } from '#shared/domain/labels.ts';
import type { Json, KubeObject } from '#shared/domain/objects.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { endOf } from './ends.ts';

const settingKeys: ReadonlySet<string> = new Set([
  ...Object.values(wrapperAnnotations),
  ourAnnotations.deleteAfterSuccess,
]);

/** Includes the phase, although this function writes it, because the next decision depends on it. */
export function wrapperFingerprint({ metadata, status }: KubeObject): Json {
  const { generation = 0, deletionTimestamp, finalizers = [], annotations = {} } = metadata;
  const settings = Object.entries(annotations)
    .filter(([key]) => settingKeys.has(key))
    .sort(([left], [right]) => compareTexts(left, right));
  const { phase = '' } = (status as AppWrapperStatus | undefined) ?? {};
  return [generation, deletionTimestamp !== undefined, finalizers, settings, phase];
}

/** Of a wrapped resource: whether it exists, is being deleted, and how it ended. */
export function componentFingerprint({ apiVersion, kind, metadata, status }: KubeObject): Json {
  const end = endOf({ apiVersion, kind }, status);
  return [metadata.deletionTimestamp !== undefined, end?.isSuccess ?? null];
}
