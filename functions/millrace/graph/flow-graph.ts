/** The steps of a flow and what each waits for, from a manifest or from a cluster. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import type { NewObject } from '#shared/domain/objects.ts';

export interface GraphNode {
  readonly name: string;
  /** Absent: nothing is known, as of a manifest. */
  readonly state?: string;
}

export interface FlowGraph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  /** From what has to succeed to what waits for it. */
  readonly edges: readonly (readonly [from: string, to: string])[];
}

export type Drawable = Pick<NewObject, 'metadata'> & Pick<JobFlow, 'spec' | 'status'>;

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
