/**
 * Records what a reflector has taken in, and so decides which events are news.
 *
 * It is separate from the view that readers use. An own write or delete changes that view before the
 * watch reports it, and a list would then find nothing to report.
 *
 * ledger-1 The state never goes back. A list or event that is older than what was taken in is
 *    refused (a server cut off from etcd, a reconnect to another replica). Once it is known to be
 *    of another history, the former one is dropped (startOver).
 * ledger-2 Another uid under a known name is a deletion and then a change, however it is noticed.
 * ledger-3 A list takes effect as a whole. Nothing is removed before it is complete.
 * ledger-4 An object known from own writes alone that a list lacks is gone, and is reported. It
 *    came and went between two lists, and no watch will report it.
 */
import { type KubeObject, objectName, type ResourceVersion } from '#shared/domain/objects.ts';
import type { KubeList } from './client.ts';
import type { ViewEvent } from './object-view.ts';
import type { Change } from './reflector-options.ts';
import { isKnownBy, isNewer } from '#shared/domain/resource-version.ts';

export class ReflectorLedger {
  readonly #taken = new Map<string, KubeObject>();
  #version: ResourceVersion | undefined;

  /**
   * Everything up to this version was taken in, and a watch resumes here. Undefined before a list.
   */
  get version(): ResourceVersion | undefined {
    return this.#version;
  }

  /** Returns false, and changes nothing, if `version` is not news (ledger-1). */
  advance(version: ResourceVersion): boolean {
    if (this.#version !== undefined && isKnownBy(version, this.#version)) return false;
    this.#version = version;
    return true;
  }

  isOlder(list: KubeList): boolean {
    return this.#version !== undefined && isNewer(this.#version, list.resourceVersion);
  }

  /**
   * Whether a list that is not older shows an object at an older version. Its last change never
   * happened, so the history is another one. A restore that raises the revision shows itself in this
   * way (`etcdutl snapshot restore --bump-revision`, which the Kubernetes documentation asks for).
   */
  contradicts(list: KubeList): boolean {
    return list.items.some((item) => {
      const held = this.#taken.get(keyOf(item));
      if (held?.metadata.uid !== item.metadata.uid) return false;
      return isNewer(held.metadata.resourceVersion, item.metadata.resourceVersion);
    });
  }

  /** Held objects that the list lacks, as last known. */
  absentFrom(list: KubeList): readonly KubeObject[] {
    const listed = new Set(list.items.map((item) => item.metadata.uid));
    return [...this.#taken.values()].filter((held) => !listed.has(held.metadata.uid));
  }

  /** Forgets everything: every listed object is news, and every other is gone. */
  startOver(list: KubeList): readonly Change[] {
    const gone = this.absentFrom(list);
    this.#taken.clear();
    this.#version = undefined;
    return [...gone.map(asGone), ...this.takeList(list)];
  }

  /**
   * Deletions first, so that a name is free before it is taken again (ledger-2). `dropped`: objects of a
   * reader's view that the list lacks, including own writes.
   */
  takeList(list: KubeList, dropped: readonly KubeObject[] = []): readonly Change[] {
    const unheard = dropped.filter((object) => !this.#holdsSame(object));
    const known = this.absentFrom(list);
    for (const object of known) this.#taken.delete(keyOf(object));
    const gone = [...known, ...unheard];
    const news = list.items.filter((item) => this.#isNews(item));
    for (const object of news) this.#taken.set(keyOf(object), object);
    this.advance(list.resourceVersion);
    return [...gone.map(asGone), ...news.map(asChanged)];
  }

  /** Empty if the event is not news. */
  takeEvent({ type, object }: ViewEvent): readonly Change[] {
    if (!this.advance(object.metadata.resourceVersion)) return [];
    const key = keyOf(object);
    const held = this.#taken.get(key);
    const replaced = held !== undefined && held.metadata.uid !== object.metadata.uid;
    if (type === 'DELETED') {
      if (!replaced) this.#taken.delete(key);
      return [{ type: 'deleted', object }];
    }
    this.#taken.set(key, object);
    return replaced ? [asGone(held), asChanged(object)] : [asChanged(object)];
  }

  #holdsSame(object: KubeObject): boolean {
    return this.#taken.get(keyOf(object))?.metadata.uid === object.metadata.uid;
  }

  #isNews(item: KubeObject): boolean {
    const held = this.#taken.get(keyOf(item));
    if (held?.metadata.uid !== item.metadata.uid) return true;
    return !isKnownBy(item.metadata.resourceVersion, held.metadata.resourceVersion);
  }
}

const asGone = (object: KubeObject): Change => ({ type: 'gone', object });
const asChanged = (object: KubeObject): Change => ({ type: 'changed', object });

/** Neither a namespace nor a name contains a slash. */
function keyOf({ metadata }: KubeObject): string {
  const { namespace, name } = objectName(metadata);
  return `${namespace}/${name}`;
}
