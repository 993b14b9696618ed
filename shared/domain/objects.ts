/** The parts of a Kubernetes object that the whole repository uses. */

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

export type Uid = Brand<'Uid'>;
/** Opaque: compare for equality only, never as a number across resources. */
export type ResourceVersion = Brand<'ResourceVersion'>;
/** `<uid>.<resourceVersion>[.deleted|.gone]`, see shared/events. */
export type EventId = Brand<'EventId'>;

export const asUid = (value: string): Uid => value as Uid;
export const asResourceVersion = (value: string): ResourceVersion => value as ResourceVersion;
export const asEventId = (value: string): EventId => value as EventId;

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: Uid;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** An object to be created: the server assigns uid and resourceVersion. */
export interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Omit<ObjectMeta, 'uid' | 'resourceVersion' | 'creationTimestamp'>;
  readonly spec?: unknown;
}

/** A resource as the API server serves it; `group` is empty for the core group. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Namespace and name of an object. The namespace is empty for a cluster-scoped one. */
export function objectName({
  namespace = '',
  name,
}: Pick<ObjectMeta, 'namespace' | 'name'>): ObjectName {
  return { namespace, name };
}

/** The object of a work item, never its content: the API server is the truth. */
export interface ObjectKey extends ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly uid: Uid;
}

/** `jobs.batch`, `pods`: identifies a resource, independent of its served version. */
export function resourceKey({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Whether the reference points to an object of this resource. */
export function isOf(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  resource: Resource,
): boolean {
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}

/** The core group is empty. */
export function groupVersionOf(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version };
}

export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The API path of an object, as Knative's ApiServerSource writes it into a subject. */
export function apiPath(resource: Resource, namespace: string | undefined, name?: string): string {
  const root = resource.group === '' ? '/api' : '/apis';
  const scope = namespace === undefined || namespace === '' ? '' : `/namespaces/${namespace}`;
  const object = name === undefined ? '' : `/${name}`;
  return `${root}/${apiVersionOf(resource)}${scope}/${resource.plural}${object}`;
}

/** The one owner whose `controller` flag is set, as metav1.GetControllerOf. */
export function controllerOf(
  meta: Pick<ObjectMeta, 'ownerReferences'>,
): OwnerReference | undefined {
  return meta.ownerReferences?.find((owner) => owner.controller === true);
}

export function isControlledBy(meta: Pick<ObjectMeta, 'ownerReferences'>, uid: Uid): boolean {
  return controllerOf(meta)?.uid === uid;
}
