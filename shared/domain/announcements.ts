/**
 * Kubernetes Events of an object that Millrace decides about. Each reports one transition from the recorded
 * status to the new one.
 */
import { conditionStatus, type Condition } from './conditions.ts';
import { annotations } from './labels.ts';
import { kubectl } from './next-command.ts';
import { type ObjectMeta, objectName } from './objects.ts';
import type { EmitEventOperation } from './plan.ts';
import { shuttingDown } from './shutdown.ts';
import { listed, shortened } from './wording.ts';

/** events.k8s.io/v1 refuses a note of 1 kB and more. */
const maxNoteLength = 900;

export type Announcement = Pick<
  EmitEventOperation,
  'type' | 'reason' | 'action' | 'note' | 'occurrence'
>;

interface Reported {
  readonly state?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  readonly startTime?: string;
}

export interface Change {
  readonly before: Reported;
  readonly after: Reported;
}

interface Announcing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export function emitted(
  { apiVersion, kind, metadata }: Announcing,
  announcements: readonly Announcement[],
): readonly EmitEventOperation[] {
  const regarding = { ...objectName(metadata), apiVersion, kind, uid: metadata.uid };
  return announcements.map(({ note, ...announcement }) => ({
    kind: 'emitEvent',
    regarding,
    ...announcement,
    note: shortened(note, maxNoteLength),
  }));
}

/** Returns the condition if this decision has just turned it to this status. */
export function turned(
  { before, after }: Change,
  type: string,
  status: 'True' | 'False',
): Condition | undefined {
  if (conditionStatus(before.conditions, type) === status) return undefined;
  return after.conditions?.find(
    (condition) => condition.type === type && condition.status === status,
  );
}

/** The Event has the condition's reason, unless another reason is given. */
export function onCondition(
  change: Change,
  type: string,
  status: 'True' | 'False',
  severity: 'Normal' | 'Warning',
  action: string,
  reason?: string,
): readonly Announcement[] {
  const condition = turned(change, type, status);
  if (condition === undefined) return [];
  return [
    {
      type: severity,
      reason: reason ?? condition.reason,
      action,
      note: condition.message,
      occurrence: since(change, type),
    },
  ];
}

/** `what` describes in numbers what started; it is called only when the start is reported. */
export function onStart({ before, after }: Change, what: () => string): readonly Announcement[] {
  if (before.startTime !== undefined || after.startTime === undefined) return [];
  const note = `started ${what()}`;
  return [{ type: 'Normal', reason: 'Started', action: 'Start', note, occurrence: 'start' }];
}

/** Reports that `who` continues, unless it is being deleted or has failed. */
export function onResume({ before, after }: Change, who: string): readonly Announcement[] {
  const stops = ['Suspended', 'Terminating', 'Failed'].includes(after.state ?? '');
  if (before.state !== 'Suspended' || stops) return [];
  const note = `${who} continues`;
  const occurrence = `generation-${after.observedGeneration ?? 0}`;
  return [{ type: 'Normal', reason: 'Resumed', action: 'Resume', note, occurrence }];
}

/** Reports nothing if the object ends in the same decision. */
export function onShutdown({ before, after }: Change): readonly Announcement[] {
  const { reason, message: note = '', observedGeneration = 0 } = after;
  if (reason !== shuttingDown || before.reason === reason) return [];
  const occurrence = `generation-${observedGeneration}`;
  return [{ type: 'Normal', reason, action: 'ShutDown', note, occurrence }];
}

/** Ends with what to do next: run it again, unless it was refused: its correction is enough. */
export function onFailure(change: Change, toRunAgain: string): readonly Announcement[] {
  const failed = onCondition(change, 'Failed', 'True', 'Warning', 'Fail', 'Failed');
  const accepted = change.after.conditions?.find(({ type }) => type === 'Accepted');
  if (accepted?.status === 'False') return failed;
  const retry = `; to run again ${toRunAgain}`;
  return failed.map(({ note, ...rest }) => ({
    ...rest,
    note: `${shortened(note, maxNoteLength - retry.length)}${retry}`,
  }));
}

/** The first failure in full, and the names of the others: a mass failure must not cause a mass of writes. */
export function firstOf(
  part: 'node' | 'step',
  concerned: readonly {
    readonly name: string;
    readonly reason?: string;
    readonly message?: string;
  }[],
): string {
  const [first, ...others] = concerned;
  const said = [`${part} ${first?.name ?? ''}`, first?.reason, first?.message].join(': ');
  return `${said}${also(others)}`;
}

export function also(others: readonly { readonly name: string }[]): string {
  return others.length === 0 ? '' : `; also ${listed(others.map(({ name }) => name))}`;
}

/**
 * The retry annotation needs a new value: setting the same value again does not change the object, so no
 * function sees it.
 */
export function retriedWords(what: string, nonce = ''): string {
  const value = shortened(nonce, 64);
  return `${what} are started again by hand (${annotations.retry}=${value}; another retry needs another value)`;
}

/** Counts up the number in the previous value, because only another value starts another retry. */
export function retryCommand(shortName: string, { metadata }: Announcing, nonce = ''): string {
  const next = /^\d{1,9}$/.test(nonce) ? Number(nonce) + 1 : 1;
  const { namespace, name } = objectName(metadata);
  return `${kubectl(namespace)} annotate ${shortName} ${name} ${annotations.retry}=${next} --overwrite`;
}

/**
 * Identifies the transition by the recorded status before it. A transition is reported before it is recorded. A
 * pass that ends in between is decided again later and must not report it twice (apply-1).
 */
export function since({ before }: Change, type: string): string {
  const known = before.conditions?.find((candidate) => candidate.type === type);
  return known?.lastTransitionTime ?? 'unknown';
}
