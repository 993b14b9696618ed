/**
 * Checks whether the stored flow can be run. It may have been stored without admission, so the same
 * rules are applied again (rules 3, 4, 8, 16, 19).
 */
import { correctableSteps, differingSteps } from '#shared/api/frozen-spec.ts';
import { graphFaults, ruleFaults, uniquenessFaults } from '#shared/api/job-flow-rules.ts';
import { asStored } from '#shared/api/step-records.ts';
import { maxSteps, type FlowStep } from '#shared/api/step.ts';
import { findCycle } from '#shared/domain/dag.ts';
import { flowNameFault } from '#shared/domain/names.ts';
import {
  type Acceptance,
  accepted,
  changed,
  invalid,
  isSameHash,
} from '#shared/parents/acceptance.ts';
import { listed } from './record.ts';
import { hasStarted, type Situation } from './situation.ts';

export function accept(situation: Situation): Acceptance {
  if (hasStarted(situation)) return isWhatWasStarted(situation);
  const { metadata, spec } = situation.flow;
  const list = flowNameFault(metadata.name) ?? countFault(spec.flows) ?? duplicateFault(spec.flows);
  if (list !== undefined) return invalid(list);
  const cycle = findCycle(situation.dag.dependencies);
  if (cycle !== undefined) {
    const message = `the dependencies form a cycle: ${cycle.join(' -> ')}`;
    return { kind: 'rejected', reason: 'CycleDetected', message };
  }
  const [fault] = [
    ...uniquenessFaults(spec),
    ...ruleFaults(metadata.name, spec),
    ...graphFaults(spec),
  ];
  return fault === undefined ? accepted : invalid(`${fault.path}: ${fault.message}`);
}

function isWhatWasStarted(situation: Situation): Acceptance {
  const { snapshot, status } = situation;
  if (isSameHash(snapshot.flowsHash, status.flowsHash)) return accepted;
  const steps = changedSteps(situation);
  if (steps?.length === 0) return accepted;
  return changed(messageOf(steps));
}

function messageOf(steps: readonly string[] | undefined): string {
  return steps === undefined
    ? 'steps, shared volumes or global parameters were changed after the start; nothing new starts until they are restored'
    : `frozen fields were changed in step ${listed(steps)}; nothing new starts until they are restored`;
}

/** Steps with a forbidden change. Undefined: more than single steps was changed, or it is unknown which. */
function changedSteps({ flow, snapshot, status }: Situation): readonly string[] | undefined {
  const { flows } = flow.spec;
  if (snapshot.stepHashes === undefined || status.stepHashes === undefined) return undefined;
  const differing = differingSteps(status.stepHashes, snapshot.stepHashes, flows);
  const correctable = correctableSteps(asStored(flows, status));
  return differing?.filter((name) => !correctable.has(name));
}

function countFault({ length }: readonly FlowStep[]): string | undefined {
  if (length === 0) return 'the flow has no steps';
  return length <= maxSteps
    ? undefined
    : `the flow has ${length} steps, at most ${maxSteps} are allowed`;
}

function duplicateFault(flows: readonly FlowStep[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of flows) {
    if (seen.has(name)) return `step name "${name}" is used twice`;
    seen.add(name);
  }
  return undefined;
}
