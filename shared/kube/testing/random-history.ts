/**
 * A random history of an API server: versions of a few objects that are created, changed and
 * deleted.
 */
import fc from 'fast-check';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import type { ViewEvent } from '../object-view.ts';

const names = ['a', 'b', 'c'] as const;
const owners = ['o1', 'o2'] as const;

export interface History {
  /** In the order of their versions, from 1. */
  readonly events: readonly ViewEvent[];
  /** The state at this version. */
  readonly at: (version: number) => readonly KubeObject[];
}

/** Each step creates a missing object, or changes or deletes an existing one. */
export const histories: fc.Arbitrary<History> = fc
  .array(fc.record({ name: fc.constantFrom(...names), deletes: fc.boolean() }), {
    minLength: 1,
    maxLength: 24,
  })
  .map((steps) => {
    const present = new Map<string, KubeObject>();
    const states: (readonly KubeObject[])[] = [[]];
    const events = steps.map(({ name, deletes }, index): ViewEvent => {
      const version = index + 1;
      const known = present.get(name);
      const uid = known?.metadata.uid ?? asUid(`${name}-${version}`);
      const object = objectOf(name, uid, version);
      const isGone = known !== undefined && deletes;
      if (isGone) present.delete(name);
      else present.set(name, object);
      states.push([...present.values()]);
      const type = isGone ? 'DELETED' : known === undefined ? 'ADDED' : 'MODIFIED';
      return { type, object };
    });
    return { events, at: (version) => states[version] ?? [] };
  });

function objectOf(name: string, uid: KubeObject['metadata']['uid'], version: number): KubeObject {
  const owner = asUid(owners[name.charCodeAt(0) % owners.length] ?? '');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'ns',
      uid,
      resourceVersion: asResourceVersion(String(version)),
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: owner, controller: true },
      ],
    },
  };
}

/** As `name/uid/version`, sorted, so that two states can be compared. */
export function versionsOf(objects: Iterable<KubeObject>): readonly string[] {
  return [...objects]
    .map(({ metadata: { name, uid, resourceVersion } }) => `${name}/${uid}/${resourceVersion}`)
    .sort();
}
