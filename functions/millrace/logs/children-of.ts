/** The Jobs and Pods of an object, also those of the flows and DaemonJobs that an AppWrapper wraps. */
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { listed, type Surroundings } from '../why/surroundings.ts';
import type { LoggedKind } from './log-sources.ts';

export interface Children {
  readonly labelSelector: string;
  /** The part of the object that a child belongs to. Empty: the object has no parts. */
  readonly partOf: (child: KubeObject) => string;
  /** False: the child belongs to another object, or to one that was created later. */
  readonly has: (child: KubeObject) => boolean;
}

export async function childrenOf(
  { selector, partOf, wraps }: LoggedKind,
  object: KubeObject,
  around: Pick<Surroundings, 'client'>,
): Promise<Children> {
  const labelSelector = selector(object);
  const ofObject = (child: KubeObject) => partOf(child, object);
  if (wraps === undefined) return { labelSelector, partOf: ofObject, has: () => true };
  const { namespace, uid } = object.metadata;
  const lists = wraps.map((resource) => listed(around, resource, namespace, { labelSelector }));
  const wrapped = (await Promise.all(lists)).flat();
  const parts = new Map<string, string>(wrapped.map((each) => [each.metadata.uid, ofObject(each)]));
  return {
    labelSelector: `${labels.ownerUid} in (${[uid, ...parts.keys()].join(',')})`,
    partOf: (child) => parts.get(ownerOf(child)) ?? ofObject(child),
    has: (child) => ownerOf(child) === uid || parts.has(ownerOf(child)),
  };
}

/** Finds the children also of what is wrapped later, or again after a reset. */
export class LaterChildren {
  readonly #find: () => Promise<Children>;
  readonly #strangers = new Set<string>();
  /** Of all that may become children. */
  readonly labelSelector: string;
  #known: Children;

  constructor(known: Children, kind: LoggedKind, find: () => Promise<Children>) {
    this.#known = known;
    this.#find = find;
    this.labelSelector = kind.wraps === undefined ? known.labelSelector : labels.ownerUid;
  }

  /** Undefined: it is no child. */
  async partOf(child: KubeObject): Promise<string | undefined> {
    if (!this.#known.has(child) && !this.#strangers.has(ownerOf(child))) {
      this.#known = await this.#find();
      if (!this.#known.has(child)) this.#strangers.add(ownerOf(child));
    }
    return this.#known.has(child) ? this.#known.partOf(child) : undefined;
  }
}

function ownerOf({ metadata }: KubeObject): string {
  return ownMember(metadata.labels, labels.ownerUid) ?? '';
}
