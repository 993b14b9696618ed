/** The Pods of wrappers: which of their changes matter, and to whom. */
import { fieldsOf, isList } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import {
  apiVersionOf,
  isOf,
  type Json,
  type KubeObject,
  type ObjectKey,
  objectName,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { rootOf } from '#shared/domain/root-of.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import type { Index } from '#shared/subscription/subscription.ts';
import { extendedPartsOf } from './extended-resources.ts';

const { AppWrapper, Pod } = resources;

/** Of one of no wrapper nothing. */
export function podFingerprint({ metadata, status }: KubeObject): Json | undefined {
  if (metadata.labels?.[wrapperLabels.wrapper] === undefined) return undefined;
  const { phase = '' } = fieldsOf(status);
  return [phase, metadata.deletionTimestamp !== undefined];
}

export function keepOfPod(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status } = stripMetadata(object);
  const { nodeName, containers } = fieldsOf(spec);
  const extended = extendedPartsOf(containers);
  const { phase, containerStatuses } = fieldsOf(status);
  const isFailed = phase === 'Failed' && isList(containerStatuses);
  const { labels: all = {} } = metadata;
  const kept: readonly string[] = [wrapperLabels.wrapper, labels.ownerUid, labels.component];
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      labels: Object.fromEntries(Object.entries(all).filter(([key]) => kept.includes(key))),
    },
    // Where it runs matters only to those that want what may be broken there.
    ...(extended.length === 0
      ? {}
      : { spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: extended } }),
    status: {
      ...(phase === undefined ? {} : { phase }),
      ...(isFailed ? { containerStatuses: containerStatuses.map(reduced) } : {}),
    },
  };
}

/** Each keeps its place, since others keep more of the same list. */
function reduced(container: Json): Json {
  const { name, state } = fieldsOf(container);
  const { exitCode } = fieldsOf(fieldsOf(state)['terminated']);
  return {
    ...(name === undefined ? {} : { name }),
    ...(exitCode === undefined ? {} : { state: { terminated: { exitCode } } }),
  };
}

/**
 * By its labels to the wrapper. One that is gone has none any more: then by its owner, if that is the wrapper itself.
 * The end of any other one shows in its component, which stays until its Pods are gone.
 */
export const wrapperOfPod: Index =
  (seen) =>
  ({ namespace, name, owner }) => {
    const apiVersion = apiVersionOf(AppWrapper);
    const { kind } = AppWrapper;
    if (owner !== undefined && isOf(owner, AppWrapper)) {
      return [{ apiVersion, kind, namespace, name: owner.name, uid: owner.uid }];
    }
    const pod = seen.get(Pod, namespace, name);
    const key = pod === undefined ? undefined : wrapperKeyOf(pod);
    return key === undefined ? [] : [key];
  };

/** The wrapper that its labels name. */
export function wrapperKeyOf(pod: KubeObject): ObjectKey | undefined {
  const name = pod.metadata.labels?.[wrapperLabels.wrapper];
  const uid = rootOf(pod);
  if (name === undefined || uid === undefined) return undefined;
  const { namespace } = objectName(pod.metadata);
  return { apiVersion: apiVersionOf(AppWrapper), kind: AppWrapper.kind, namespace, name, uid };
}
