/** The Pods of wrappers: which changes matter, and which wrapper they wake. */
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
import { keepOfPod as keepOfTroubled } from '#shared/subscription/keep.ts';
import type { Index } from '#shared/subscription/subscription.ts';
import { extendedPartsOf } from './extended-resources.ts';

const { AppWrapper, Pod } = resources;

/** Undefined: the Pod belongs to no wrapper. */
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
  // A trouble that lasts is reported.
  const pending = phase === 'Pending' ? keepOfTroubled(object) : undefined;
  const ofNode =
    extended.length === 0
      ? {}
      : { ...(nodeName === undefined ? {} : { nodeName }), containers: extended };
  const keptSpec = { ...fieldsOf(pending?.spec), ...ofNode };
  const { labels: all = {} } = metadata;
  const kept: readonly string[] = [wrapperLabels.wrapper, labels.ownerUid, labels.component];
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      labels: Object.fromEntries(Object.entries(all).filter(([key]) => kept.includes(key))),
    },
    // The node matters only to Pods that request a resource that may be broken there.
    ...(Object.keys(keptSpec).length === 0 ? {} : { spec: keptSpec }),
    status: pending?.status ?? {
      ...(phase === undefined ? {} : { phase }),
      ...(isFailed ? { containerStatuses: containerStatuses.map(reduced) } : {}),
    },
  };
}

/** Every container keeps its place, since other functions keep more of the same list. */
function reduced(container: Json): Json {
  const { name, state } = fieldsOf(container);
  const { exitCode } = fieldsOf(fieldsOf(state)['terminated']);
  return {
    ...(name === undefined ? {} : { name }),
    ...(exitCode === undefined ? {} : { state: { terminated: { exitCode } } }),
  };
}

/**
 * Finds the wrapper by the Pod's labels. A removed Pod has none any more, so its owner counts, if that is the wrapper
 * itself. The end of any other Pod shows in its component, which stays until its Pods are gone.
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

/** The wrapper that the Pod's labels name. */
export function wrapperKeyOf(pod: KubeObject): ObjectKey | undefined {
  const name = pod.metadata.labels?.[wrapperLabels.wrapper];
  const uid = rootOf(pod);
  if (name === undefined || uid === undefined) return undefined;
  const { namespace } = objectName(pod.metadata);
  return { apiVersion: apiVersionOf(AppWrapper), kind: AppWrapper.kind, namespace, name, uid };
}
