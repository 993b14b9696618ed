/** Events go an hour after they were last written, as kube-apiserver's --event-ttl has it. */
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { Writes } from '../writes.ts';

const lifetimeMs = 3_600_000;

export class EventExpiry implements Controller {
  readonly name = 'event-expiry';
  /** By key, the one that goes first in front; a moment of undefined is not known yet. */
  readonly #written = new Map<string, number | undefined>();

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (!isKind(resourceType, 'events')) return [];
    const { namespace = '', name } = object.metadata;
    const key = `${namespace} ${name}`;
    this.#written.delete(key);
    if (type === 'DELETED') return [];
    this.#written.set(key, undefined);
    return ['all'];
  }

  reconcile(_key: string, { api, clock }: ControllerContext): number | undefined {
    const nowMs = clock.now();
    const writes = new Writes(api, 'kube-apiserver');
    const type = kindOf(api, 'events');
    for (const key of [...this.#written.keys()].toReversed()) {
      if (this.#written.get(key) !== undefined) break;
      this.#written.set(key, nowMs);
    }
    for (const [key, writtenMs = nowMs] of [...this.#written]) {
      if (nowMs < writtenMs + lifetimeMs) return writtenMs + lifetimeMs;
      const [namespace = '', name = ''] = key.split(' ');
      const event = api.store.get(type, namespace, name);
      this.#written.delete(key);
      if (event !== undefined) writes.delete(type, event);
    }
    return undefined;
  }
}
