/** Jobs that wait at a manual gate: suspended by their template or by a person (rule 15). */
import { childState } from '#shared/domain/child-state.ts';
import { heldWords } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import { isControlledBy, type KubeObject } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { LoggedKind } from '../logs/log-sources.ts';
import { partOf } from '../picture/children.ts';
import { jobsOf } from '../picture/jobs-of.ts';
import type { PicturedKind } from '../picture/pictured-kinds.ts';
import { workloadOf } from '../why/workload-causes.ts';

export interface Gate {
  /** The step or node. */
  readonly part: string;
  readonly job: KubeObject;
  /** Another controller or policy that holds the Job. An approval would start it in spite of that. */
  readonly holder?: string;
}

type GatedKind = Pick<PicturedKind, 'jobLabel'> & Pick<LoggedKind, 'partOf'>;
interface Asked {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
}

export async function gatesOf(
  kind: GatedKind,
  object: KubeObject,
  { client }: Asked,
): Promise<readonly Gate[]> {
  const jobs = await jobsOf(kind, object, { client });
  const gated = jobs.filter(
    (job) => isControlledBy(job.metadata, object.metadata.uid) && isAtGate(job),
  );
  return Promise.all(
    gated.map(async (job): Promise<Gate> => {
      const holder = await holderOf(job, { client });
      return { part: partOf(kind, job, object), job, ...(holder === undefined ? {} : { holder }) };
    }),
  );
}

function isAtGate(job: KubeObject): boolean {
  const state = childState(asObservedJob(job));
  return state.kind === 'suspended' && state.reason === 'ManualGate';
}

/** Undefined: only the gate holds it. */
async function holderOf(job: KubeObject, { client }: Asked): Promise<string | undefined> {
  const { annotations: given = {}, labels = {} } = job.metadata;
  if (Object.hasOwn(given, annotations.held)) {
    return heldWords(job.metadata) ?? 'held by a suspend policy';
  }
  const queue = labels[queueLabel];
  const isQueued =
    queue !== undefined ||
    Object.hasOwn(given, annotations.queued) ||
    (await workloadOf(job, { client })) !== undefined;
  return isQueued
    ? `in ${queue === undefined ? 'a queue' : `the queue ${queue}`} of Kueue`
    : undefined;
}
