/** Explains objects of all supported kinds. A kind is added by a line of the table. */
import { childState } from '#shared/domain/child-state.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { jobStates } from '../picture/daemon-picture.ts';
import { conditionsOf, hasEnded } from './conditions.ts';
import { type Cause, type Explanation, type Named, nextOf } from './explanation.ts';
import { partsOfDaemonJob } from './explain-daemon-job.ts';
import { partsOfFlow } from './explain-flow.ts';
import { explainDaemonJob, explainFlow } from './explain-parent.ts';
import { explainWrapper } from './explain-wrapper.ts';
import { jobCauses } from './job-causes.ts';
import type { PartsOf } from './parts.ts';
import { policyCauses } from './policy-causes.ts';
import { describe, listed, type Surroundings } from './surroundings.ts';
import { queueCauses } from './unseen.ts';
import { workloadCauses } from './workload-causes.ts';

type Explain = (
  object: KubeObject,
  named: Named,
  around: Surroundings,
) => Promise<readonly Cause[]> | readonly Cause[];

export interface ExplainedKind {
  readonly resource: Resource;
  readonly explain: Explain;
  /** Absent: it has no parts that end by themselves. */
  readonly parts?: PartsOf;
  /** It does not wait itself, but makes other objects wait. */
  readonly isHolder?: true;
  /** Millrace writes its status. */
  readonly isOurs?: true;
}

export const explainedKinds: readonly ExplainedKind[] = [
  { resource: resources.JobFlow, explain: explainFlow, parts: partsOfFlow, isOurs: true },
  {
    resource: resources.DaemonJob,
    explain: explainDaemonJob,
    parts: partsOfDaemonJob,
    isOurs: true,
  },
  { resource: resources.AppWrapper, explain: explainWrapper, isOurs: true },
  { resource: resources.SuspendPolicy, explain: policyCauses, isOurs: true, isHolder: true },
  { resource: resources.ClusterSuspendPolicy, explain: policyCauses, isOurs: true, isHolder: true },
  {
    resource: resources.Workload,
    explain: (object, _named, around) => workloadCauses(object, around),
  },
  { resource: resources.Job, explain: (object, _named, around) => jobCauses(object, around) },
];

export async function explain(
  { resource, explain: explainIt, parts, isOurs, isHolder }: ExplainedKind,
  object: KubeObject,
  part: string | undefined,
  around: Surroundings,
): Promise<Explanation> {
  const { namespace = '', name } = object.metadata;
  const named: Named = {
    kind: resource.kind,
    namespace,
    name,
    ...(part === undefined ? {} : { part }),
  };
  const causes = [
    ...(isOurs === true ? await queueCauses(object, named, around) : []),
    ...(await explainIt(object, named, around)),
  ];
  const failed = new Set(parts?.failed(object));
  const holdsUp = ({ object: { part: of } }: Cause): boolean => of === undefined || !failed.has(of);
  return {
    object: named,
    state: part === undefined ? stateOf(resource, object) : '',
    waits: isHolder !== true && causes.some(holdsUp) && !hasEnded(object),
    causes,
    next: nextOf(causes) ?? describe(around, named),
  };
}

/** Every waiting object of these kinds, in the order of the kinds. */
export async function explainAll(
  namespace: string | undefined,
  around: Surroundings,
): Promise<readonly Explanation[]> {
  const found: Explanation[] = [];
  for (const kind of explainedKinds) {
    for (const object of await listed(around, kind.resource, namespace)) {
      if (isChild(object)) continue;
      const explanation = await explain(kind, object, undefined, around);
      if (explanation.waits) found.push(explanation);
    }
  }
  return found;
}

/** An object whose owner is of one of these kinds is explained with its owner. */
function isChild({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, controller }) =>
      controller === true && explainedKinds.some(({ resource }) => resource.kind === kind),
  );
}

function stateOf({ kind }: Resource, object: KubeObject): string {
  if (kind === resources.Job.kind) return jobStates[childState(asObservedJob(object)).kind];
  const { state, phase } = fieldsOf(object.status);
  if (textOf(state) !== '' || textOf(phase) !== '') return textOf(state) || textOf(phase);
  const holding = conditionsOf(object).filter(({ status }) => status === 'True');
  return holding.map(({ type }) => type).join(', ');
}
