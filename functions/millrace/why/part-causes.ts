/** Reads the reports in the status of a JobFlow or DaemonJob, and their causes. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { type Cause, commandIn, type Named } from './explanation.ts';
import { jobCauses } from './job-causes.ts';
import { holderCauses } from './policy-causes.ts';
import { describe, kubectl, millrace, type Surroundings, typeOf } from './surroundings.ts';
import { queuedCauses } from './workload-causes.ts';

/** The report of a status on the whole, or on one step or node. */
export interface Said {
  readonly state?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly jobName?: string;
  readonly nextRetryTime?: string;
}

/** A cause in the words of the status. */
export async function saidCause(
  parent: KubeObject,
  object: Named,
  said: Said,
  around: Surroundings,
): Promise<Cause> {
  const { reason = said.state ?? '', message = '', nextRetryTime } = said;
  const next = nextFor(object, { ...said, reason }, around);
  const source = object.part === undefined ? 'status' : `status entry of ${object.part}`;
  return {
    object,
    reason,
    message,
    source,
    ...(nextRetryTime === undefined ? {} : { until: nextRetryTime }),
    ...(next === undefined ? {} : { next }),
    because: await deeperCauses(parent, object, said, around),
  };
}

/** A policy or queue holds the whole. The Job is read if the status names no reason of its own. */
async function deeperCauses(
  parent: KubeObject,
  object: Named,
  { reason, jobName, state }: Said,
  around: Surroundings,
): Promise<readonly Cause[]> {
  if (reason === 'HeldByPolicy') return holderCauses(parent, object, around);
  if (reason === 'Queued') return queuedCauses(parent, around);
  if (jobName === undefined || !asksJob.has(state ?? '')) return [];
  const { namespace = '' } = parent.metadata;
  const job = await around.client.get(resources.Job, { namespace, name: jobName });
  if (job === undefined) return [];
  const causes = await jobCauses(job, around);
  return causes.filter((cause) => cause.reason !== reason);
}

/** States whose Job is read. A part that is suspended with the whole has the same reason as the whole. */
const asksJob: ReadonlySet<string> = new Set(['Running', 'Pending']);

/** Undefined: another cause has a command. */
type NextCommand = (object: Named, said: Said, around: Surroundings) => string | undefined;

const patched =
  (spec: object): NextCommand =>
  ({ kind, namespace, name }, _said, around) =>
    kubectl(
      around,
      namespace,
      `patch ${typeOf(kind)} ${shellWord(name)} --type merge -p '${JSON.stringify({ spec })}'`,
    );
/** The whole knows what suspends a part: a user, a policy or a queue. */
const resumed: NextCommand = (object, said, around) =>
  object.part === undefined ? patched({ suspend: false })(object, said, around) : undefined;
const patchedJob =
  (spec: object): NextCommand =>
  (object, said, around) =>
    said.jobName === undefined
      ? describe(around, object)
      : patched(spec)({ ...object, kind: 'Job', name: said.jobName }, said, around);
const approved: NextCommand = ({ kind, namespace, name, part }, _said, around) => {
  const gate = part === undefined ? '' : `/${shellWord(part)}`;
  const where = namespace === '' ? '' : ` -n ${shellWord(namespace)}`;
  return millrace(around, `approve ${kind.toLowerCase()}/${shellWord(name)}${gate}${where}`);
};
const jobsOf: NextCommand = ({ kind, namespace, name }, _said, around) =>
  kubectl(
    around,
    namespace,
    `get jobs -l millrace.dev/${kind === 'JobFlow' ? 'flow' : 'daemonjob'}=${shellWord(name)}`,
  );
const templates: NextCommand = ({ namespace }, _said, around) =>
  kubectl(around, namespace, 'get jobtemplates.api.practice.com');
const webhooks: NextCommand = (_object, _said, around) =>
  kubectl(around, '', 'get mutatingwebhookconfigurations');
const quotas: NextCommand = ({ namespace }, _said, around) =>
  kubectl(around, namespace, 'describe resourcequotas');
const retried: NextCommand = ({ kind, namespace, name }, _said, around) =>
  kubectl(
    around,
    namespace,
    `annotate ${typeOf(kind)} ${shellWord(name)} --overwrite millrace.dev/retry="$(date +%s)"`,
  );
const onNode =
  (verb: string): NextCommand =>
  ({ part }, _said, around) =>
    part === undefined ? undefined : kubectl(around, '', `${verb} ${shellWord(part)}`);
const node = onNode('describe node');

/** Reasons for which another command than `describe` shows more or ends the wait. */
const commands: ReadonlyMap<string, NextCommand> = new Map(
  Object.entries({
    JobTemplateNotFound: templates,
    TemplatesPending: templates,
    ManualGate: approved,
    NoPod: patchedJob({ parallelism: 1 }),
    FlowSuspended: resumed,
    Suspended: resumed,
    Paused: patched({ paused: false }),
    RetryBackoff: jobsOf,
    ParallelismReached: jobsOf,
    ShuttingDown: jobsOf,
    FlowDeadlineExceeded: jobsOf,
    DeadlineExceeded: jobsOf,
    Cancelling: jobsOf,
    ChildTerminating: jobsOf,
    SubmitterUnknown: webhooks,
    QuotaExceeded: quotas,
    NodeFailed: retried,
    NodeNotReady: node,
    NotReady: node,
    Unreachable: node,
    Tainted: node,
    Deleting: node,
    Cordoned: onNode('uncordon'),
  }),
);

function nextFor(object: Named, said: Said, around: Surroundings): string | undefined {
  const written = commandIn(said.message ?? '');
  if (written !== undefined) return `${around.kubectl} ${written}`;
  return (commands.get(said.reason ?? '') ?? describeIt)(object, said, around);
}

/** The Job of a step or a node shows more than the whole. */
const describeIt: NextCommand = (object, { jobName, state }, around) =>
  jobName === undefined || object.part === undefined || state === 'Blocked'
    ? describe(around, object)
    : describe(around, { kind: 'Job', namespace: object.namespace, name: jobName });
