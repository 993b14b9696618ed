/**
 * Empties and then removes a namespace in deletion (pkg/controller/namespace/deletion). Every other namespace gets its
 * standard objects: the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerApi, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { Writes } from '../writes.ts';
import {
  namespaceConditions,
  type NamespaceCondition,
  type Remaining,
} from './namespace-conditions.ts';

const rootCertificates = 'kube-root-ca.crt';

const finalizer = 'kubernetes';

interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly conditions?: readonly NamespaceCondition[] };
}

export class NamespaceController implements Controller {
  readonly name = 'namespace';
  readonly #certificate: string;

  /** `certificate`: content of `kube-root-ca.crt`, PEM. */
  constructor(certificate: string) {
    this.#certificate = certificate;
  }

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (isKind(resourceType, 'namespaces')) return [object.metadata.name];
    const { namespace = '' } = object.metadata;
    // The object may have been the last one of its namespace, or one of the standard objects.
    return namespace !== '' && type === 'DELETED' ? [namespace] : [];
  }

  reconcile(key: string, { api, clock }: ControllerContext): number | undefined {
    const namespaces = kindOf(api, 'namespaces');
    const object = api.store.get(namespaces, '', key) as Namespace | undefined;
    if (object === undefined) return undefined;
    if (object.metadata.deletionTimestamp === undefined) this.#furnish(key, api);
    else if (isHeld(object)) end(object, api, clock.now());
    return undefined;
  }

  #furnish(namespace: string, api: ControllerApi): void {
    const accounts = kindOf(api, 'serviceAccounts');
    const configMaps = kindOf(api, 'configMaps');
    const writes = new Writes(api, 'kube-controller-manager');
    if (api.store.get(accounts, namespace, 'default') === undefined) {
      const metadata = { name: 'default', namespace };
      writes.create(accounts, namespace, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    }
    if (api.store.get(configMaps, namespace, rootCertificates) === undefined) {
      const metadata = { name: rootCertificates, namespace };
      const data = { 'ca.crt': this.#certificate };
      const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
      writes.create(configMaps, namespace, configMap);
    }
  }
}

function isHeld({ spec }: Namespace): boolean {
  return spec?.finalizers?.includes(finalizer) === true;
}

/** Deletes the content, reports what is left, and removes the namespace when nothing is. */
function end(namespace: Namespace, api: ControllerApi, nowMs: number): void {
  const type = kindOf(api, 'namespaces');
  const writes = new Writes(api, 'kube-controller-manager');
  const remaining = remainingIn(namespace.metadata.name, api, writes);
  const { conditions: before = [] } = namespace.status ?? {};
  const conditions = namespaceConditions(before, remaining, nowMs);
  const reported =
    conditions === before
      ? namespace
      : writes.updateStatus(type, namespace, { ...namespace.status, conditions });
  if (remaining.resources.size > 0) return;
  const finalizers = namespace.spec?.finalizers?.filter((name) => name !== finalizer) ?? [];
  writes.update(type, { ...reported, spec: { finalizers } }, 'finalize');
}

function remainingIn(namespace: string, api: ControllerApi, writes: Writes): Remaining {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const type of storedTypes(api)) {
    for (const object of api.store.list(type, namespace)) {
      if (object.metadata.deletionTimestamp === undefined) {
        writes.delete(type, object, { propagationPolicy: 'Background' });
      }
    }
    for (const { metadata } of api.store.list(type, namespace)) {
      count(resources, `${type.plural}.${type.group}`);
      for (const name of metadata.finalizers ?? []) count(finalizers, name);
    }
  }
  return { resources, finalizers };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Each kind once, even if several versions are served. Events come last, because deletions are reported by them. */
function storedTypes({ types }: ControllerApi): readonly ResourceType[] {
  const byName = new Map<string, ResourceType>();
  for (const type of types.all()) {
    if (type.namespaced) byName.set(`${type.group}/${type.plural}`, type);
  }
  const all = [...byName.values()];
  return [
    ...all.filter((type) => !isKind(type, 'events')),
    ...all.filter((type) => isKind(type, 'events')),
  ];
}
