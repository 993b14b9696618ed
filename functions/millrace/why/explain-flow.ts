/** Why a JobFlow, or one step of it, does not continue. */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Cause, Named } from './explanation.ts';
import { saidCause } from './part-causes.ts';
import type { PartsOf } from './parts.ts';
import type { Surroundings } from './surroundings.ts';

/** Reasons of a step that only repeat those of another step or of the flow. */
const repeated: ReadonlySet<string> = new Set([
  'DependenciesPending',
  'UpstreamFailed',
  'FlowSuspended',
  'HeldByPolicy',
  'Queued',
]);
const over: ReadonlySet<string> = new Set(['Succeed', 'Skipped']);

export const partsOfFlow: PartsOf = {
  names: (object) => asFlow(object).spec.flows.map(({ name }) => name),
  entries: recordsOf,
  failed: (object) =>
    recordsOf(object).flatMap(({ name, state }) => (state === 'Failed' ? [name] : [])),
  explainPart: async (object, named, around) =>
    (await stepCauses(object, named, around, new Set())).filter(isTrouble),
  causes: async (object, named, around) => {
    const records = recordsOf(object).filter(
      ({ state, reason }) => !over.has(state) && !repeated.has(reason ?? '') && state !== 'Waiting',
    );
    return troubles(object, named, records, around);
  },
};

async function troubles(
  object: KubeObject,
  named: Named,
  records: readonly StepRecord[],
  around: Surroundings,
): Promise<readonly Cause[]> {
  const causes = await Promise.all(
    records.map((record) => saidCause(object, { ...named, part: record.name }, record, around)),
  );
  return causes.filter(isTrouble);
}

/** A running step without a problem holds nothing back. */
function isTrouble({ reason, because, message }: Cause): boolean {
  return reason !== 'Running' || message !== '' || because.length > 0;
}

/** The causes of the step itself, and those of its dependencies. */
async function stepCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
  seen: Set<string>,
): Promise<readonly Cause[]> {
  const { part = '' } = named;
  if (seen.has(part)) return [];
  seen.add(part);
  const record = recordsOf(object).find(({ name }) => name === part);
  const step = asFlow(object).spec.flows.find(({ name }) => name === part);
  if (record?.state === 'Succeed' || step === undefined) return [];
  const said: StepRecord = record ?? { name: part, state: 'Waiting' };
  const cause = await saidCause(object, named, said, around);
  const because = [...cause.because];
  for (const dependency of step.dependencies ?? []) {
    because.push(...(await stepCauses(object, { ...named, part: dependency }, around, seen)));
  }
  return [{ ...cause, because }];
}

function recordsOf(object: KubeObject): readonly StepRecord[] {
  const { metadata, spec, status = {} } = asFlow(object);
  return withAllRecords(metadata, spec.flows, status).jobStatusList ?? [];
}

/** The CRD's schema guarantees the shape. */
function asFlow(object: KubeObject): JobFlow {
  return object as unknown as JobFlow;
}
