/** A manifest with a common mistake, and the message that its user gets. */
import type { Manifest } from '#test/support/flows/cluster-api.ts';

/**
 * apply: kubectl prints the message and nothing is stored. status: REASON and MESSAGE of the flow. Event: an Event of
 * the flow alone, because the flow continues.
 */
export type Place = 'apply' | 'status' | 'Event';

export interface Mistake {
  /** For people; one cell of the table. */
  readonly mistake: string;
  readonly manifest: Manifest;
  readonly where: Place;
  /** The message contains this text, word for word. */
  readonly says: string;
  /** Applied before. A flow is started, too. */
  readonly after?: Manifest;
  /** The kubelet's report about the container. The nodes of the tests neither pull nor mount anything. */
  readonly kubelet?: { readonly reason: string; readonly message: string };
}

type Loose = Readonly<Record<string, unknown>>;

export function jobFlow(name: string, spec: Loose): Manifest {
  return { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', metadata: { name }, spec };
}

export const container = { name: 'main', image: 'busybox:1.28' };

/** A Job of one container. `fields` override those of the container, `job` those of the JobSpec. */
export function job(fields: Loose = {}, job: Loose = {}): Loose {
  return { ...job, template: { spec: { containers: [{ ...container, ...fields }] } } };
}

export function podJob(pod: Loose): Loose {
  return { template: { spec: pod } };
}

export function entry(name: string, fields: Loose = {}): Loose {
  return { name, jobTemplate: job(), ...fields };
}

/** A flow with one step `a` that runs this Job. */
export function one(name: string, jobTemplate: Loose, spec: Loose = {}): Manifest {
  return jobFlow(name, { ...spec, flows: [{ name: 'a', jobTemplate }] });
}

/** A valid flow except for these fields of its spec. */
export function withSpec(name: string, spec: Loose): Manifest {
  return jobFlow(name, { flows: [entry('a')], ...spec });
}

/** A valid flow except for these fields of its only step. */
export function withStep(name: string, fields: Loose): Manifest {
  return jobFlow(name, { flows: [entry('a', fields)] });
}
