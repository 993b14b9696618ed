/**
 * Empties a namespace that is being deleted, then lets it go (pkg/controller/namespace/deletion), and
 * gives every other one what each namespace has: the ServiceAccount `default` and the ConfigMap
 * `kube-root-ca.crt`.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerApi, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { Writes } from '../writes.ts';

const rootCertificates = 'kube-root-ca.crt';

interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
}

export class NamespaceController implements Controller {
  readonly name = 'namespace';
  readonly #certificate: string;

  /** `certificate` in PEM is what `kube-root-ca.crt` holds. */
  constructor(certificate: string) {
    this.#certificate = certificate;
  }

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (isKind(resourceType, 'namespaces')) return [object.metadata.name];
    const { namespace = '' } = object.metadata;
    // The last object of a namespace may have gone, or one that every namespace has.
    return namespace !== '' && type === 'DELETED' ? [namespace] : [];
  }

  reconcile(key: string, { api }: ControllerContext): number | undefined {
    const namespaces = kindOf(api, 'namespaces');
    const object = api.store.get(namespaces, '', key);
    if (object === undefined) return undefined;
    if (object.metadata.deletionTimestamp === undefined) this.#furnish(key, api);
    else if (isEmptied(key, api)) finalize(namespaces, object, api);
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

/** Deletes what is in it; true when nothing is. */
function isEmptied(namespace: string, api: ControllerApi): boolean {
  const writes = new Writes(api, 'kube-controller-manager');
  let isEmpty = true;
  for (const type of storedTypes(api)) {
    for (const object of api.store.list(type, namespace)) {
      if (object.metadata.deletionTimestamp === undefined) {
        writes.delete(type, object, { propagationPolicy: 'Background' });
      }
    }
    isEmpty &&= api.store.list(type, namespace).length === 0;
  }
  return isEmpty;
}

/** Each kind once, though it may be served in several versions; Events last, since deletions are told. */
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

function finalize(type: ResourceType, namespace: KubeObject, api: ControllerApi): void {
  const { spec } = namespace as Namespace;
  const finalizers = spec?.finalizers?.filter((name) => name !== 'kubernetes') ?? [];
  const writes = new Writes(api, 'kube-controller-manager');
  writes.update(type, { ...namespace, spec: { finalizers } }, 'finalize');
}
