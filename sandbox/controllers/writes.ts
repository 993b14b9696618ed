/** The writes of one controller, under its own field manager, as its real counterpart has one. */
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { CallOptions } from '../api/api-call.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { ControllerApi } from './controller.ts';

/** An object to be written. The API checks it. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

export class Writes {
  readonly #api: ControllerApi;
  readonly #fieldManager: string;

  constructor(api: ControllerApi, fieldManager: string) {
    this.#api = api;
    this.#fieldManager = fieldManager;
  }

  create(type: ResourceType, namespace: string, object: WrittenObject): KubeObject {
    const options = { fieldManager: this.#fieldManager };
    const call = { verb: 'create', type, namespace, name: '', subresource: '', options } as const;
    return this.#api.handleNow({ ...call, body: asJson(object) }).body as KubeObject;
  }

  /** Writes a subresource such as `binding`. The answer is a Status, not the object. */
  createSubresource(
    type: ResourceType,
    { metadata: { namespace = '', name } }: KubeObject,
    subresource: string,
    body: WrittenObject,
  ): void {
    const options = { fieldManager: this.#fieldManager };
    const call = { verb: 'create', type, namespace, name, subresource, options } as const;
    this.#api.handleNow({ ...call, body: asJson(body) });
  }

  /**
   * Replaces the object. Fails with a conflict when its resourceVersion is no longer the latest.
   */
  update(type: ResourceType, object: KubeObject, subresource = ''): KubeObject {
    const { namespace = '', name } = object.metadata;
    const options = { fieldManager: this.#fieldManager };
    const call = { verb: 'update', type, namespace, name, subresource, options } as const;
    return this.#api.handleNow({ ...call, body: asJson(object) }).body as KubeObject;
  }

  updateStatus(type: ResourceType, object: KubeObject, status: object): KubeObject {
    return this.update(type, { ...object, status }, 'status');
  }

  /** Does nothing when the object is gone or another one has its name. */
  delete(
    type: ResourceType,
    { metadata: { namespace = '', name, uid } }: KubeObject,
    options: Pick<CallOptions, 'gracePeriodSeconds' | 'propagationPolicy'> = {},
  ): void {
    const call = { verb: 'delete', type, namespace, name, subresource: '' } as const;
    try {
      this.#api.handleNow({ ...call, options: { ...options, preconditions: { uid } } });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Changes the latest state of the object. Does nothing when it is gone. */
  removeFinalizer(type: ResourceType, { metadata: { uid } }: KubeObject, finalizer: string): void {
    const object = this.#api.store.byUid(uid)?.object;
    if (object?.metadata.finalizers?.includes(finalizer) !== true) return;
    const finalizers = object.metadata.finalizers.filter((name) => name !== finalizer);
    this.update(type, { ...object, metadata: { ...object.metadata, finalizers } });
  }
}

/** Not found, or another object under the same name (a uid precondition that failed). */
function isGone(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 404 || error.code === 409);
}

// Everything that controllers write is JSON by construction: parts of stored objects and plain
// values.
const asJson = (object: object): JsonObject => object as JsonObject;
