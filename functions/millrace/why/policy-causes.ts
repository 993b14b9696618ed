/** Reads the reports of a suspend policy on itself, and on an object that it holds. */
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { heldWords, readHeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { troublesIn } from './conditions.ts';
import type { Cause, Named } from './explanation.ts';
import { describe, kubectl, millrace, type Surroundings, typeOf } from './surroundings.ts';

/** The policy that holds the object, and until when. Empty: no policy holds it. */
export async function heldCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const note = heldNoteOf(object);
  if (note === undefined) return [];
  return [
    {
      object: named,
      reason: note.reason ?? '',
      message: `held by ${note.policy ?? ''}`,
      source: `annotation ${annotations.held}`,
      ...(note.until === undefined ? {} : { until: note.until }),
      ...(note.reason === 'Override' ? { next: describe(around, named) } : {}),
      because: await holderCauses(object, named, around),
    },
  ];
}

/** The reports of the holding policy on itself, and on the object's place. */
export async function holderCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const note = heldNoteOf(object);
  if (note === undefined || note.reason === 'Override') return [];
  const policy = policyNamed(note.policy ?? '');
  const found = await around.client.get(
    policy.kind === 'SuspendPolicy' ? resources.SuspendPolicy : resources.ClusterSuspendPolicy,
    policy,
  );
  if (found === undefined) return [goneCause(policy, around)];
  return [...policyCauses(found, policy, around), ...placeCauses(found, policy, named)];
}

/** `SuspendPolicy/team-a/nights`, `ClusterSuspendPolicy/nights`. */
function policyNamed(key: string): Named {
  const [kind = '', ...rest] = key.split('/');
  const [name = '', namespace = ''] = rest.reverse();
  return { kind, namespace, name };
}

/** The status lists the held objects that start next, in their order. */
function placeCauses(
  { status }: KubeObject,
  policy: Named,
  { kind, namespace, name }: Named,
): readonly Cause[] {
  const { next = [], held = next.length } = (status ?? {}) as SuspendPolicyStatus;
  const place = next.indexOf(`${kind}/${namespace}/${name}`) + 1;
  if (place === 0) return [];
  const message = `place ${place} of ${held} in the line of what it holds`;
  return [{ object: policy, reason: 'InLine', message, source: 'status.next', because: [] }];
}

function previewOf({ kind, namespace, name }: Named, around: Surroundings): string {
  const where = namespace === '' ? '' : ` -n ${namespace}`;
  return millrace(around, `schedule preview ${kind.toLowerCase()}/${name}${where}`);
}

function goneCause(object: Named, around: Surroundings): Cause {
  const message = 'the policy does not exist any more';
  const next = kubectl(around, object.namespace, `get ${typeOf(object.kind)}`);
  return { object, reason: 'NotFound', message, source: 'API server', next, because: [] };
}

/** Why the policy is closed, holds something back or cannot be followed. */
export function policyCauses(
  policy: KubeObject,
  object: Named,
  around: Surroundings,
): readonly Cause[] {
  const status = (policy.status ?? {}) as SuspendPolicyStatus;
  const { state, windows = [], nextTransition } = status;
  const closed: readonly Cause[] =
    state === 'Closed'
      ? [
          {
            object,
            reason: 'Closed',
            message: `no work may run${windows.length === 0 ? ': no window is open' : ` (${windows.join(', ')})`}`,
            source: 'status.state',
            ...(nextTransition === undefined ? {} : { until: nextTransition }),
            next: previewOf(object, around),
            because: [],
          },
        ]
      : [];
  const reported = troublesIn(policy, troubled);
  return [
    ...closed,
    ...reported.map(({ type, reason, message }) => ({
      object,
      reason,
      message,
      source: `condition ${type}`,
      next: describe(around, object),
      because: [],
    })),
  ];
}

const troubled: ReadonlySet<string> = new Set([
  'Accepted=False',
  'CapacityFull=True',
  'Unschedulable=True',
  'Conflicting=True',
  'Refused=True',
]);

function heldNoteOf({ metadata }: KubeObject): ReturnType<typeof readHeldNote> | undefined {
  if (heldWords(metadata) === undefined) return undefined;
  return readHeldNote(metadata.annotations?.[annotations.held]);
}
