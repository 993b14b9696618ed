/**
 * When two specs count as the same as far as they are frozen once the flow has started. The API
 * server compares list-maps and sets without regard to order; so does this, except for `env`, where
 * the order decides which $(NAME) is seen.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { contentHash, stableJson } from '#shared/domain/hash.ts';
import type { Json } from '#shared/domain/objects.ts';
import { frozenFields } from './frozen-fields.ts';
import type { JobFlowSpec } from './job-flow.ts';

/** Frozen fields whose value differs between the two. Both as the API server returns them. */
export function changedFrozenFields(before: JobFlowSpec, after: JobFlowSpec): readonly string[] {
  const [left, right] = [frozenPart(before), frozenPart(after)];
  return frozenFields.filter((name) => stableJson(left[name]) !== stableJson(right[name]));
}

/** For `status.flowsHash`: equal as long as the API server would accept one for the other. */
export function frozenHash(spec: JobFlowSpec): string {
  return contentHash(frozenPart(spec));
}

function frozenPart(spec: JobFlowSpec): Partial<Record<(typeof frozenFields)[number], Json>> {
  const part = {
    ...spec,
    flows: sorted(spec.flows, 'name').map(({ dependencies, ...step }) => ({
      ...step,
      ...(dependencies === undefined ? {} : { dependencies: [...dependencies].sort() }),
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
