/**
 * The rules on a JobFlow beyond its schema, in the API server's words. `ruleFaults` equals the CEL rules of the policy.
 * `graphFaults` covers what CEL cannot: graphs, and templates that are passed on whole. A test checks both against one
 * table of objects.
 */
import { findCycle } from '#shared/domain/dag.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { indexedNameFault, stepNameFault } from '#shared/domain/names.ts';
import { type Fault, Hints } from './fault.ts';
import { managedByStays, toCorrect } from './frozen-fields.ts';
import { changedFrozenFields, correctableSteps } from './frozen-spec.ts';
import { globalParamsFaults } from './global-params-faults.ts';
import { jobFlowKind, type JobFlow, type JobFlowSpec } from './job-flow.ts';
import { listFaults } from './list-faults.ts';
import type { Volume } from './pod-template.ts';
import { podVolumeFaults } from './pod-volume-rules.ts';
import { podSpecFaults, podTemplateFaults } from './pod-template-rules.ts';
import { maxDependencies, type FlowStep } from './step.ts';
import { structuralSchema } from './structural-schema.ts';

const specSchema = structuralSchema(jobFlowKind.spec);

/** Breaches of the policy's CEL rules about one object. */
export function ruleFaults(flowName: string, spec: JobFlowSpec): readonly Fault[] {
  const names = new Set(spec.flows.map(({ name }) => name));
  const hints = new Hints(names);
  return [
    ...globalParamsFaults(spec.globalParams ?? {}),
    ...countFaults(spec.flows),
    ...spec.flows.flatMap((step, index) => {
      const path = `spec.flows[${index}]`;
      return [
        ...nameFaults(flowName, step, path),
        ...templateFaults(step, path),
        ...dependencyFaults(step, { names, hints }, path),
        ...shareVolumeFaults(step, spec.shareVolumes ?? [], path),
      ];
    }),
  ];
}

/** Duplicates in the lists of a spec with the right shape. */
export function uniquenessFaults(spec: JobFlowSpec): readonly Fault[] {
  return listFaults(specSchema, spec, 'spec');
}

/** Breaches in the graph or inside the templates. */
export function graphFaults(spec: JobFlowSpec): readonly Fault[] {
  return [
    ...cycleFaults(spec.flows),
    ...spec.flows.flatMap((step, index) =>
      inlineTemplateFaults(spec, step, `spec.flows[${index}]`),
    ),
  ];
}

/** Reported at the dependency where the cycle begins. */
function cycleFaults(flows: readonly FlowStep[]): readonly Fault[] {
  const cycle = findCycle(
    new Map(flows.map(({ name, dependencies }) => [name, dependencies ?? []])),
  );
  // A step that depends on itself has a fault of its own.
  if (cycle === undefined || cycle.length === 2) return [];
  const [first = '', second = ''] = cycle;
  const index = flows.findLastIndex(({ name }) => name === first);
  const place = flows[index]?.dependencies?.indexOf(second) ?? 0;
  const path = `spec.flows[${index}].dependencies[${place}]`;
  return [{ path, message: `the dependencies form a cycle: ${cycle.join(' -> ')}` }];
}

function inlineTemplateFaults(spec: JobFlowSpec, step: FlowStep, path: string): readonly Fault[] {
  if (step.jobTemplate === undefined) return [];
  return [
    ...podSpecFaults(step.jobTemplate, `${path}.jobTemplate`),
    ...podVolumeFaults(spec, step, path),
  ];
}

/** Refused changes of a flow, most of them only after its start. Both objects are as the API server returns them. */
export function updateFaults(
  before: Pick<JobFlow, 'spec' | 'status'>,
  after: Pick<JobFlow, 'spec'>,
): readonly Fault[] {
  const moved =
    before.spec.managedBy === after.spec.managedBy
      ? []
      : [{ path: 'spec.managedBy', message: managedByStays }];
  if (before.status?.startTime === undefined) return moved;
  const correctable = correctableSteps(before.status);
  const frozen = changedFrozenFields(before.spec, after.spec, correctable).map((name) => ({
    path: `spec.${name}`,
    message: `frozen once the flow has started; suspend, shutdown, parallelism, failurePolicy, activeDeadlineSeconds and ttlSecondsAfterFinished may change; delete the flow first, or apply this under another name; ${toCorrect}`,
  }));
  return [...moved, ...frozen];
}

function countFaults(flows: readonly FlowStep[]): readonly Fault[] {
  const count = flows.reduce((sum, { dependencies = [] }) => sum + dependencies.length, 0);
  if (count <= maxDependencies) return [];
  const message = `all steps together have at most ${maxDependencies} dependencies, found ${count}`;
  return [{ path: 'spec.flows', message }];
}

function nameFaults(
  flowName: string,
  { name, jobTemplate }: FlowStep,
  path: string,
): readonly Fault[] {
  const { completionMode, completions } = jobTemplate ?? {};
  const fault =
    stepNameFault(flowName, name) ??
    (completionMode === 'Indexed' && completions !== undefined
      ? indexedNameFault(flowName, name, completions)
      : undefined);
  return fault === undefined ? [] : [{ path: `${path}.name`, message: fault }];
}

function templateFaults({ name, jobTemplate, jobTemplateRef }: FlowStep, path: string) {
  if (jobTemplate !== undefined && jobTemplateRef === undefined) {
    return podTemplateFaults(jobTemplate, `${path}.jobTemplate`);
  }
  if (jobTemplate === undefined && jobTemplateRef !== undefined) return [];
  const count = jobTemplate === undefined ? 'neither' : 'both';
  const message = `step "${name}" needs exactly one of jobTemplate and jobTemplateRef, found ${count}`;
  return [{ path, message }];
}

interface StepNames {
  readonly names: ReadonlySet<string>;
  readonly hints: Hints;
}

function dependencyFaults(
  { name, dependencies = [] }: FlowStep,
  { names, hints }: StepNames,
  path: string,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [index, dependency] of dependencies.entries()) {
    const isItself = dependency === name;
    if (!isItself && names.has(dependency)) continue;
    const message = isItself
      ? `step "${name}" depends on itself`
      : `step "${name}" depends on "${dependency}", which is no step of this flow${hintFor(dependency, hints, name)}`;
    faults.push({ path: `${path}.dependencies[${index}]`, message });
  }
  return faults;
}

function hintFor(dependency: string, hints: Hints, step: string): string {
  const near = hints.nearTo(dependency, step);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

function shareVolumeFaults(
  { name, shareVolumes = [] }: FlowStep,
  ofFlow: readonly Volume[],
  path: string,
): readonly Fault[] {
  return shareVolumes.flatMap((volume, index) => {
    const other = ofFlow.find((candidate) => candidate.name === volume.name);
    if (other === undefined || jsonEqual(other, volume)) return [];
    const message = `step "${name}" gives volume "${volume.name}" another source than spec.shareVolumes does`;
    return [{ path: `${path}.shareVolumes[${index}]`, message }];
  });
}
