/** When two specs count as equal in their frozen parts. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { frozenFields } from './frozen-fields.ts';
import type { FlowStep, JobFlowSpec, JobFlowStatus } from './job-flow.ts';

/**
 * Names of the steps that may be corrected: the flow has ended as Failed, and an entry in its status says that they
 * failed or were skipped. Their names and dependencies stay. `status` is in its stored form.
 */
export function correctableSteps(status: JobFlowStatus | undefined): ReadonlySet<string> {
  const records = status?.state === 'Failed' ? (status.jobStatusList ?? []) : [];
  return new Set(
    records
      .filter(({ state }) => state === 'Failed' || state === 'Skipped')
      .map(({ name }) => name),
  );
}

/**
 * Frozen fields that differ between the two, compared as by the admission policy. Steps may change their order, and
 * `correctable` ones may differ in more than name and dependencies. Both are as the API server returns them.
 */
export function changedFrozenFields(
  before: JobFlowSpec,
  after: JobFlowSpec,
  correctable: ReadonlySet<string> = new Set(),
): readonly string[] {
  const outline = ({ name, dependencies }: FlowStep) => ({ name, dependencies });
  const frozen = (spec: JobFlowSpec) => ({
    ...spec,
    flows: sorted(spec.flows, 'name').map((step) =>
      correctable.has(step.name) ? outline(step) : step,
    ),
  });
  const [left, right] = [frozen(before), frozen(after)];
  return frozenFields.filter((name) => !jsonEqual(left[name], right[name]));
}

/**
 * For `status.flowsHash`: equal at least as long as the policy accepts a change from one to the other. The order of
 * dependencies, volumes and mounts has no meaning. The order of `env` decides which $(NAME) is visible.
 */
export function frozenHash(spec: JobFlowSpec): string {
  let known = frozenHashes.get(spec);
  if (known === undefined) {
    known = contentHash(frozenPart(spec));
    frozenHashes.set(spec, known);
  }
  return known;
}

/** A flow that has not started is checked repeatedly, and its spec may be large. */
const frozenHashes = new WeakMap<JobFlowSpec, string>();

/**
 * For `status.stepHashes`: first a hash of what is always frozen, then one for each step, in the order of names. A
 * decision uses it to find changed steps.
 */
export function stepHashes(spec: JobFlowSpec): string {
  let known = knownStepHashes.get(spec);
  if (known === undefined) {
    known = hashesOf(spec);
    knownStepHashes.set(spec, known);
  }
  return known;
}

const knownStepHashes = new WeakMap<JobFlowSpec, string>();

/** Length of one step's hash in characters. */
const hashLength = 8;
export const bytesPerStepHash = hashLength;

function hashesOf(spec: JobFlowSpec): string {
  const part = frozenPart(spec);
  const steps = part.flows as unknown as readonly FlowStep[];
  const flows = steps.map(({ name, dependencies = [] }) => ({ name, dependencies }));
  const each = steps.map((step) => contentHash(step as unknown as Json).slice(0, hashLength));
  return `${contentHash({ ...part, flows })}:${each.join('')}`;
}

/**
 * Names of the steps that differ. Undefined: more than single steps differ, or another version wrote one of the
 * two. `flows`: of either.
 */
export function differingSteps(
  before: string,
  after: string,
  flows: readonly FlowStep[],
): readonly string[] | undefined {
  const [outlineBefore, stepsBefore = ''] = before.split(':');
  const [outlineAfter, stepsAfter = ''] = after.split(':');
  const length = flows.length * hashLength;
  if (outlineBefore !== outlineAfter) return undefined;
  if (stepsBefore.length !== length || stepsAfter.length !== length) return undefined;
  const names = flows.map(({ name }) => name).sort(compareTexts);
  const at = (text: string, index: number) =>
    text.slice(index * hashLength, (index + 1) * hashLength);
  return names.filter((_, index) => at(stepsBefore, index) !== at(stepsAfter, index));
}

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
