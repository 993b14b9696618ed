/** The requests that each kind supports. A kind is added by a line of a table. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type RetriedParts, retriedNodes, retriedSteps } from './retried-parts.ts';

export interface WishedKind {
  readonly resource: Resource;
}

/** The kind has `millrace.dev/retry` and `spec.shutdown`. */
export interface RetriedKind extends WishedKind {
  /** The parts that this value of the annotation starts again. */
  readonly retriedParts: (object: KubeObject, value: string) => RetriedParts;
  /** Its parts, if a retry can name them. */
  readonly stepsOf?: (object: KubeObject) => readonly string[];
}

export const retriedKinds: readonly RetriedKind[] = [
  {
    resource: resources.JobFlow,
    retriedParts: retriedSteps,
    stepsOf: (object) => (object as JobFlow).spec.flows.map(({ name }) => name),
  },
  { resource: resources.DaemonJob, retriedParts: retriedNodes },
];

/** All of these kinds have `spec.suspend`. */
export const wishedKinds: readonly WishedKind[] = [
  ...retriedKinds,
  { resource: resources.AppWrapper },
  { resource: resources.Job },
];
