/**
 * Deletes Events an hour after their last write, as kube-apiserver does by default (--event-ttl).
 */
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { Writes } from '../writes.ts';

const lifetimeMs = 3_600_000;

export class EventExpiry implements Controller {
  readonly name = 'event-expiry';
  /** Time of the last write by key. The one that expires first is in front. */
  readonly #writtenMs = new Map<string, number>();
  readonly #fresh = new Set<string>();

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (!isKind(resourceType, 'events')) return [];
    const { namespace = '', name } = object.metadata;
    const key = `${namespace} ${name}`;
    if (type === 'DELETED') {
      this.#writtenMs.delete(key);
      this.#fresh.delete(key);
      return [];
    }
    this.#fresh.add(key);
    return ['all'];
  }

  reconcile(_key: string, { api, clock }: ControllerContext): number | undefined {
    const nowMs = clock.now();
    for (const key of this.#fresh) {
      this.#writtenMs.delete(key);
      this.#writtenMs.set(key, nowMs);
    }
    this.#fresh.clear();
    const writes = new Writes(api, 'kube-apiserver');
    const type = kindOf(api, 'events');
    for (const [key, writtenMs] of this.#writtenMs) {
      if (nowMs < writtenMs + lifetimeMs) return writtenMs + lifetimeMs;
      const [namespace = '', name = ''] = key.split(' ');
      const event = api.store.get(type, namespace, name);
      this.#writtenMs.delete(key);
      if (event !== undefined) writes.delete(type, event);
    }
    return undefined;
  }
}
