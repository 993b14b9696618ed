/**
 * Kubernetes Events of an object that we decide about: each reports one transition between the status that is
 * on record and the one that is wanted.
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

interface Told {
  readonly state?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  readonly startTime?: string;
}

export interface Change {
  readonly before: Told;
  readonly after: Told;
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

/** The condition as it is now, if it has just come to this status. */
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

/** The Event has the condition's reason, unless a shorter word is given for it. */
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

/** `what` started, in numbers; asked when it is reported. */
export function onStart({ before, after }: Change, what: () => string): readonly Announcement[] {
  if (before.startTime !== undefined || after.startTime === undefined) return [];
  const note = `started ${what()}`;
  return [{ type: 'Normal', reason: 'Started', action: 'Start', note, occurrence: 'start' }];
}

/** `who` goes on; what is deleted or has failed does not. */
export function onResume({ before, after }: Change, who: string): readonly Announcement[] {
  const stops = ['Suspended', 'Terminating', 'Failed'].includes(after.state ?? '');
  if (before.state !== 'Suspended' || stops) return [];
  const note = `${who} goes on`;
  const occurrence = `generation-${after.observedGeneration ?? 0}`;
  return [{ type: 'Normal', reason: 'Resumed', action: 'Resume', note, occurrence }];
}

/** Not of what ends at once. */
export function onShutdown({ before, after }: Change): readonly Announcement[] {
  const { reason, message: note = '', observedGeneration = 0 } = after;
  if (reason !== shuttingDown || before.reason === reason) return [];
  const occurrence = `generation-${observedGeneration}`;
  return [{ type: 'Normal', reason, action: 'ShutDown', note, occurrence }];
}

/** With the way to go on: what failed after the start can be run again, what was refused be corrected. */
export function onFailure(change: Change, toRunAgain: string): readonly Announcement[] {
  const failed = onCondition(change, 'Failed', 'True', 'Warning', 'Fail', 'Failed');
  if (change.after.startTime === undefined) return failed;
  const retry = `; to run again ${toRunAgain}`;
  return failed.map(({ note, ...rest }) => ({
    ...rest,
    note: `${shortened(note, maxNoteLength - retry.length)}${retry}`,
  }));
}

/** What failed first, in full, and the names of the others: a mass failure must not become a mass of writes. */
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

/** The same value once more does not change the object, so no function can notice it. */
export function retriedWords(what: string, nonce = ''): string {
  const value = shortened(nonce, 64);
  return `${what} are started again by hand (${annotations.retry}=${value}; another retry needs another value)`;
}

/** Another value starts another retry, so the number of the one before is counted up. */
export function retryCommand(shortName: string, { metadata }: Announcing, nonce = ''): string {
  const next = /^\d{1,9}$/.test(nonce) ? Number(nonce) + 1 : 1;
  const { namespace, name } = objectName(metadata);
  return `${kubectl(namespace)} annotate ${shortName} ${name} ${annotations.retry}=${next} --overwrite`;
}

/**
 * Names the transition by what is on record before it: it is reported before it is recorded, so a pass
 * that ends in between is decided again, later, and must not report it twice (A1 of apply-plan.ts).
 */
export function since({ before }: Change, type: string): string {
  const known = before.conditions?.find((candidate) => candidate.type === type);
  return known?.lastTransitionTime ?? 'unknown';
}
