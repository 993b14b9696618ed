/** The steps of a flow and their dependencies, from a manifest or a cluster. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { requirePart } from '../require-part.ts';

export interface GraphNode {
  readonly name: string;
  /** Absent: unknown, as for a manifest. */
  readonly state?: string;
}

export interface FlowGraph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  /** From a dependency to its dependant. */
  readonly edges: readonly (readonly [from: string, to: string])[];
}

export type Drawable = Pick<NewObject, 'metadata'> & Pick<JobFlow, 'spec' | 'status'>;

/** The flow reduced to this step and all its direct and indirect dependencies. Throws CommandFailure. */
export function upToStep(flow: Drawable, step: string): Drawable {
  const { metadata, spec, status } = flow;
  const names = spec.flows.map(({ name }) => name);
  requirePart({ kind: 'JobFlow', name: metadata.name }, step, names);
  const before = new Map(spec.flows.map(({ name, dependencies = [] }) => [name, dependencies]));
  const wanted = new Set([step]);
  // A Set also iterates over what is added meanwhile.
  for (const name of wanted) before.get(name)?.forEach((each) => wanted.add(each));
  return {
    metadata: { ...metadata, name: `${metadata.name}/${step}` },
    spec: { ...spec, flows: spec.flows.filter(({ name }) => wanted.has(name)) },
    // Long flows store states by position among all steps, so they are expanded first.
    ...(status === undefined ? {} : { status: withAllRecords(metadata, spec.flows, status) }),
  };
}

export function graphOf({ metadata, spec, status }: Drawable): FlowGraph {
  const records = status && withAllRecords(metadata, spec.flows, status).jobStatusList;
  const states = new Map(records?.map(({ name, state }) => [name, state]));
  return {
    name: metadata.name,
    nodes: spec.flows.map(({ name }) => {
      const state = status === undefined ? undefined : (states.get(name) ?? 'Waiting');
      return { name, ...(state === undefined ? {} : { state }) };
    }),
    edges: spec.flows.flatMap(({ name, dependencies = [] }) =>
      dependencies.map((dependency) => [dependency, name] as const),
    ),
  };
}
