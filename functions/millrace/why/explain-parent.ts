/** Why an object that Millrace creates Jobs for does not continue: first its own status, then its parts. */
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { partWord, requirePart } from '../require-part.ts';
import type { Cause, Named } from './explanation.ts';
import { partsOfDaemonJob } from './explain-daemon-job.ts';
import { partsOfFlow } from './explain-flow.ts';
import { saidCause, type Said } from './part-causes.ts';
import type { PartEntry, PartsOf } from './parts.ts';
import { managedCauses } from './managed-causes.ts';
import { describe, type Surroundings } from './surroundings.ts';
import { troublesIn } from './conditions.ts';

export function explainFlow(object: KubeObject, named: Named, around: Surroundings) {
  return explainParent(partsOfFlow, object, named, around);
}

export function explainDaemonJob(object: KubeObject, named: Named, around: Surroundings) {
  return explainParent(partsOfDaemonJob, object, named, around);
}

async function explainParent(
  parts: PartsOf,
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  if (named.part !== undefined) {
    const names = parts.names(object);
    if (names !== undefined) requirePart(named, named.part, names, describe(around, named));
  }
  const state = textOf(fieldsOf(object.status)['state']);
  // A node that the DaemonJob did not need may be excluded or absent.
  if (state === 'Succeed') {
    return named.part === undefined ? [] : parts.explainPart(object, named, around);
  }
  const own = await ownCauses(object, named, around);
  if (named.part === undefined) return [...own, ...(await parts.causes(object, named, around))];
  const entries = parts.entries(object);
  const ofWhole = own.filter((cause) => !quotesPart(cause, entries));
  return [...(await parts.explainPart(object, named, around)), ...ofWhole];
}

/** The status of the whole quotes the entry of a part, which holds no other part back. */
function quotesPart({ object, reason, message }: Cause, entries: readonly PartEntry[]): boolean {
  return entries.some(
    (entry) =>
      entry.reason === reason && message.startsWith(`${partWord(object.kind)} ${entry.name}`),
  );
}

async function ownCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const whole: Named = { kind: named.kind, namespace: named.namespace, name: named.name };
  const said = fieldsOf(object.status) as Said;
  const first =
    said.reason === undefined
      ? await managedCauses(object, whole, around)
      : [await saidCause(object, whole, said, around)];
  const more = troublesIn(object, troubled)
    .filter(({ reason }) => reason !== said.reason)
    .map(({ type, reason, message }) => ({
      ...{ object: whole, reason, message, source: `condition ${type}` },
      ...{ next: describe(around, whole), because: [] },
    }));
  return [...first, ...more];
}

const troubled: ReadonlySet<string> = new Set([
  'Accepted=False',
  'TemplatesResolved=False',
  'NodesEligible=False',
  'Blocked=True',
  'RetryRefused=True',
]);
