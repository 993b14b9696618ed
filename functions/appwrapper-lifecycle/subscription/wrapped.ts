/** The kinds that a wrapper wraps, and what the views keep of such a resource. */
import type { AppWrapperSpec } from '#shared/api/app-wrapper.ts';
import { fieldsOf, isObject, membersOf } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { KindName } from '#shared/domain/kind-name.ts';
import { saysItsEnd } from './ends.ts';
import { isAtRest } from './unfinished.ts';

/** Empty if the wrapper has nothing deployed. */
export function wrappedKinds(wrapper: KubeObject): readonly KindName[] {
  if (isAtRest(wrapper)) return [];
  const { components = [] } = wrapper.spec as Partial<AppWrapperSpec>;
  return components.map(({ template: { apiVersion, kind } }) => ({ apiVersion, kind }));
}

/** Keeps the owner and the end. If the kind does not report its end, the metadata is enough. */
export function keepOfComponent(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, status } = stripMetadata(object);
  const own = membersOf(metadata.labels ?? {}, (key) => key === labels.ownerUid);
  const kept = { ...omit(metadata, 'annotations'), labels: own };
  if (!saysItsEnd(object) || !isObject(status)) return { apiVersion, kind, metadata: kept };
  const { conditions, jobStatus, jobDeploymentStatus, message } = fieldsOf(status);
  const reported = Object.entries({ conditions, jobStatus, jobDeploymentStatus, message });
  const present = reported.filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: kept, status: Object.fromEntries(present) };
}
