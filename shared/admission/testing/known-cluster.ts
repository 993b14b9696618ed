/** A cluster of a few objects for admissions to read. Every user may do everything. */
import { asResourceVersion, asUid, isOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';

type Manifest = Omit<KubeObject, 'metadata'> & {
  readonly metadata: Pick<KubeObject['metadata'], 'name' | 'namespace' | 'labels'>;
};

export function knownCluster(
  objects: readonly Manifest[] = [],
  answers: Partial<Pick<Inquiry, 'access' | 'resourceOf' | 'tryCreate'>> = {},
): Inquiry {
  const stored = objects.map((object, at): KubeObject => {
    const identity = { uid: asUid(`u-${at}`), resourceVersion: asResourceVersion('1') };
    return { ...object, metadata: { ...object.metadata, ...identity } };
  });
  return {
    reader: {
      get: async ({ kind }, { namespace, name }) =>
        stored.find(
          ({ kind: other, metadata }) =>
            other === kind && metadata.name === name && (metadata.namespace ?? '') === namespace,
        ),
      list: async ({ kind }) => stored.filter((object) => object.kind === kind),
      listByOwner: async () => [],
      listByOwners: async () => [],
    },
    access: async () => ({ allowed: true }),
    resourceOf: async ({ apiVersion, kind }) =>
      Object.values(resources).find((resource) => isOf({ apiVersion, kind }, resource)),
    tryCreate: async () => ({ warnings: [] }),
    ...answers,
  };
}
