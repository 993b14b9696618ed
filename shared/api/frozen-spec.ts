/** When two specs count as the same as far as they are frozen once the flow has started. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { frozenFields } from './frozen-fields.ts';
import type { JobFlowSpec } from './job-flow.ts';

/**
 * Frozen fields whose value differs between the two, as the admission policy compares them: steps may
 * stand in any order. Both as the API server returns them.
 */
export function changedFrozenFields(before: JobFlowSpec, after: JobFlowSpec): readonly string[] {
  const inOrder = (spec: JobFlowSpec) => ({ ...spec, flows: sorted(spec.flows, 'name') });
  const [left, right] = [inOrder(before), inOrder(after)];
  return frozenFields.filter((name) => !jsonEqual(left[name], right[name]));
}

/**
 * For `status.flowsHash`: equal at least as long as the policy accepts one for the other. The order of
 * dependencies, volumes and mounts means nothing; that of `env` decides which $(NAME) is seen.
 */
export function frozenHash(spec: JobFlowSpec): string {
  let known = frozenHashes.get(spec);
  if (known === undefined) {
    known = contentHash(frozenPart(spec));
    frozenHashes.set(spec, known);
  }
  return known;
}

/** A flow that has not started is looked at again and again, and its spec may be large. */
const frozenHashes = new WeakMap<JobFlowSpec, string>();

type FrozenPart = Partial<Record<(typeof frozenFields)[number], Json>>;

function frozenPart(spec: JobFlowSpec): FrozenPart {
  const part = {
    ...spec,
    flows: sorted(spec.flows, 'name').map(({ dependencies, ...step }) => ({
      ...step,
      ...(dependencies === undefined || dependencies.length === 0
        ? {}
        : { dependencies: [...dependencies].sort() }),
      ...volumes(step),
    })),
    ...volumes(spec),
  };
  return Object.fromEntries(
    frozenFields.flatMap((name) => (part[name] === undefined ? [] : [[name, part[name]]])),
  );
}

function volumes({ shareVolumes, shareVolumeMounts }: Pick<JobFlowSpec, VolumeField>) {
  return {
    ...(shareVolumes === undefined ? {} : { shareVolumes: sorted(shareVolumes, 'name') }),
    ...(shareVolumeMounts === undefined
      ? {}
      : { shareVolumeMounts: sorted(shareVolumeMounts, 'mountPath') }),
  };
}

type VolumeField = 'shareVolumes' | 'shareVolumeMounts';

function sorted<Key extends string, Item extends Readonly<Record<Key, string>>>(
  list: readonly Item[],
  key: Key,
): readonly Item[] {
  return [...list].sort((left, right) => compareTexts(left[key], right[key]));
}
