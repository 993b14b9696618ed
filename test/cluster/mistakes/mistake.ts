/** A manifest of the kind that people write, and what they are told about it. */
import type { Manifest } from '#test/support/flows/cluster-api.ts';

/**
 * apply: kubectl prints it and nothing is stored. status: REASON and MESSAGE of the flow. Event: an
 * Event of the flow alone, because the flow goes on.
 */
export type Place = 'apply' | 'status' | 'Event';

export interface Mistake {
  /** For people; one cell of the table. */
  readonly mistake: string;
  readonly manifest: Manifest;
  readonly where: Place;
  /** What they are told contains this, word for word. */
  readonly says: string;
  /** Applied before, and started when it is a flow. */
  readonly after?: Manifest;
  /** What the kubelet reports of the container: the nodes of the tests pull and mount nothing. */
  readonly kubelet?: { readonly reason: string; readonly message: string };
}

type Loose = Readonly<Record<string, unknown>>;

export function jobFlow(name: string, spec: Loose): Manifest {
  return { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', metadata: { name }, spec };
}

export const container = { name: 'main', image: 'busybox:1.28' };

/** A Job of one container; `fields` come over those of the container, `job` over those of the JobSpec. */
export function job(fields: Loose = {}, job: Loose = {}): Loose {
  return { ...job, template: { spec: { containers: [{ ...container, ...fields }] } } };
}

export function podJob(pod: Loose): Loose {
  return { template: { spec: pod } };
}

export function entry(name: string, fields: Loose = {}): Loose {
  return { name, jobTemplate: job(), ...fields };
}

/** A flow of one step `a` that has this Job. */
export function one(name: string, jobTemplate: Loose, spec: Loose = {}): Manifest {
  return jobFlow(name, { ...spec, flows: [{ name: 'a', jobTemplate }] });
}

/** A good flow but for these fields of its spec. */
export function withSpec(name: string, spec: Loose): Manifest {
  return jobFlow(name, { flows: [entry('a')], ...spec });
}

/** A good flow but for these fields of its one step. */
export function withStep(name: string, fields: Loose): Manifest {
  return jobFlow(name, { flows: [entry('a', fields)] });
}
