/** The machines where it was started, with their results; it outlives Jobs and nodes. */
import { createHash } from 'node:crypto';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { annotations } from '#shared/domain/labels.ts';

export interface Entry {
  readonly state: string;
  readonly attempt: number;
}

/** By the machine's key. */
export type Ledger = ReadonlyMap<string, Entry>;

const known = new Map<string, string>();

/** The key of the machine whose node has this UID. */
export function machineKey(uid: string): string {
  const key = known.get(uid) ?? createHash('sha256').update(uid).digest('base64url').slice(0, 8);
  known.set(uid, key);
  return key;
}

type Stored = NonNullable<NonNullable<DaemonJob['status']>['ledger']>;

const read = new WeakMap<Stored, Ledger>();
const nothing: Ledger = new Map();

export function ledgerOn({ status }: Pick<DaemonJob, 'status'>): Ledger {
  const stored = status?.ledger;
  if (stored === undefined) return nothing;
  const ledger = read.get(stored) ?? ledgerIn(stored);
  read.set(stored, ledger);
  return ledger;
}

function ledgerIn(stored: Stored): Ledger {
  const ledger = new Map<string, Entry>();
  for (const [title, keys] of Object.entries(stored)) {
    const [state = '', attempt = '0'] = title.split('/');
    for (const key of keys.match(/.{8}/g) ?? []) {
      ledger.set(key, { state, attempt: Number(attempt) });
    }
  }
  return ledger;
}

/** A requested manual retry that is not recorded yet. An empty value requests nothing. */
export function wantedRetry({ metadata, status }: DaemonJob): string | undefined {
  const nonce = metadata.annotations?.[annotations.retry]?.slice(0, 1_024);
  return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;
}

/** While it is shut down, nothing is retried. */
export function grantedRetry(daemonJob: DaemonJob): string | undefined {
  return daemonJob.spec.shutdown === undefined ? wantedRetry(daemonJob) : undefined;
}

/** The whole or some nodes start again, which is recorded before anything runs. */
export function beginsAnew(daemonJob: DaemonJob): boolean {
  const isLost = ({ state }: Pick<Entry, 'state'>): boolean =>
    state === 'Failed' || state === 'Cancelled';
  const ends = [...ledgerOn(daemonJob).values(), { state: daemonJob.status?.state ?? '' }];
  return grantedRetry(daemonJob) !== undefined && ends.some(isLost);
}

/** A requested retry restarts failed and cancelled nodes only. */
export function ledgerToGoOnFrom(daemonJob: DaemonJob): Ledger {
  const recorded = ledgerOn(daemonJob);
  if (grantedRetry(daemonJob) === undefined) return recorded;
  const begunAnew = ({ state, attempt }: Entry): Entry =>
    state === 'Failed' || state === 'Cancelled'
      ? { state: 'Retrying', attempt: attempt + 1 }
      : { state, attempt };
  return new Map([...recorded].map(([key, entry]) => [key, begunAnew(entry)]));
}
