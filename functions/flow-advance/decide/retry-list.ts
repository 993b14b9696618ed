/** The steps that the annotation `millrace.dev/retry` names: all failed and skipped ones, or `load,report@2`. */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { dnsLabelPattern } from '#shared/api/step.ts';
import { compileDag } from '#shared/domain/dag.ts';
import { retryRefusal } from '#shared/domain/shutdown.ts';
import { listed } from './record.ts';
import { dependenciesOf, edgesOf } from './situation.ts';

export interface Refusal {
  readonly reason:
    | 'UnreadableRetry'
    | 'UnknownStep'
    | 'StepSucceeded'
    | 'StepNotFailed'
    | 'UpstreamNotRetried'
    | 'FailurePolicy'
    | 'Shutdown';
  readonly message: string;
}

export type Selection =
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly steps: ReadonlySet<string> }
  | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
}

const label = new RegExp(dnsLabelPattern);

/**
 * All or nothing: if one of the names cannot be retried, no step is. A value without `@` means all
 * steps. If it looks like names of steps, it is refused instead of guessed.
 */
export function selectSteps(
  { spec, status }: Pick<JobFlow, 'spec' | 'status'>,
  recorded: ReadonlyMap<string, StepRecord>,
  value: string,
): Selection {
  if (spec.shutdown !== undefined) {
    return { kind: 'refused', refusal: retryRefusal(spec.shutdown) };
  }
  const at = value.indexOf('@');
  const names = new Set(spec.flows.map(({ name }) => name));
  if (at < 0) return looksLikeSteps(value, names) ? unreadable(value) : { kind: 'all' };
  const wanted = value.slice(0, at).split(',');
  if (at === value.length - 1 || !wanted.every((name) => label.test(name)))
    return unreadable(value);
  const unknown = wanted.filter((name) => !names.has(name));
  if (unknown.length > 0) {
    return refused('UnknownStep', `the flow has no step ${listed(unknown)}`);
  }
  // A flow that never started has no records, and all its steps are judged anew.
  if (status?.startTime === undefined) return { kind: 'all' };
  return refusalOf(recorded, wanted) ?? withSkipped({ spec }, recorded, wanted);
}

/** A number is not taken for a name, although a step may be called so. */
function looksLikeSteps(value: string, names: ReadonlySet<string>): boolean {
  if (value.includes(',')) return true;
  const words = value.split(/[^-a-z0-9]+/);
  return words.some((word) => names.has(word) && !/^\d+$/.test(word));
}

function unreadable(value: string): Refused {
  const message = `"${value}" cannot be read: write a value without commas, @ and step names to retry all failed and skipped steps, or load,report@2 to retry only the steps load and report`;
  return refused('UnreadableRetry', message);
}

function refused(reason: Refusal['reason'], why: string): Refused {
  return { kind: 'refused', refusal: { reason, message: `nothing is retried: ${why}` } };
}

function refusalOf(
  recorded: ReadonlyMap<string, StepRecord>,
  wanted: readonly string[],
): Refused | undefined {
  const stateOf = (name: string) => recorded.get(name)?.state ?? 'Waiting';
  const succeeded = wanted.filter((name) => stateOf(name) === 'Succeed');
  if (succeeded.length > 0) {
    return refused(
      'StepSucceeded',
      `${listed(succeeded)} succeeded, and a step that succeeded never runs again`,
    );
  }
  const open = wanted.filter((name) => !isOver(stateOf(name)));
  if (open.length === 0) return undefined;
  return refused('StepNotFailed', `${listed(open)} neither failed nor was skipped`);
}

/** Adds skipped steps that depend on the named ones, unless another dependency stays failed. */
function withSkipped(
  { spec }: Pick<JobFlow, 'spec'>,
  recorded: ReadonlyMap<string, StepRecord>,
  wanted: readonly string[],
): Selection {
  const steps = new Set(wanted);
  const dag = compileDag(edgesOf(spec.flows));
  const staysOver = (name: string): boolean => !steps.has(name) && isLost(recorded.get(name));
  const awaitsLost = (name: string): boolean =>
    dag.dependencies.get(name)?.some(staysOver) === true;
  const open = [...wanted];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const dependant of dag.dependants.get(name) ?? []) {
      if (steps.has(dependant) || recorded.get(dependant)?.state !== 'Skipped') continue;
      if (awaitsLost(dependant)) continue;
      steps.add(dependant);
      open.push(dependant);
    }
  }
  const [stuck] = wanted.filter(awaitsLost);
  if (stuck !== undefined) {
    const step = spec.flows.find(({ name }) => name === stuck);
    const lost = step === undefined ? [] : dependenciesOf(step).filter(staysOver);
    return refused('UpstreamNotRetried', `${stuck} depends on ${listed(lost)}: name that as well`);
  }
  const left = [...recorded.values()].filter(
    ({ name, state }) => state === 'Failed' && !steps.has(name),
  );
  // No failed step is left out, so the cause of every skipped step is retried.
  if (left.length === 0) return { kind: 'all' };
  return failFast(spec, left) ?? { kind: 'some', steps };
}

/** If one failure stops everything, a step that stays failed would stop the retry at once (rule 12). */
function failFast(
  { failurePolicy = 'ContinueIndependent' }: JobFlow['spec'],
  left: readonly StepRecord[],
): Refused | undefined {
  if (failurePolicy === 'ContinueIndependent') return undefined;
  const names = listed(left.map(({ name }) => name));
  return refused(
    'FailurePolicy',
    `with failurePolicy ${failurePolicy} nothing starts while ${names} is failed: name that as well, or set ContinueIndependent`,
  );
}

function isOver(state: StepRecord['state']): boolean {
  return state === 'Failed' || state === 'Skipped';
}

function isLost(record: StepRecord | undefined): boolean {
  return record !== undefined && isOver(record.state);
}
