/**
 * `status.ledger` of a DaemonJob: the machines where its Jobs ran and how they ended, even if the Jobs are
 * gone. A machine is identified by the UID of its Node, so that another machine under the same name is a
 * different one.
 *
 * A node is eight characters: 48 bits of the SHA-256 of its UID. These are concatenated in order under their
 * state, with the attempt after the first (`Failed/1`). 5,000 nodes take 40 kB, where names with states
 * would take 750 kB in every status write. The probability that two of 5,000 nodes are equal is one in
 * twenty million.
 */
import { hash } from 'node:crypto';
import type { Uid } from '#shared/domain/objects.ts';

/**
 * Started: its Job was created. Retired: its Job was deleted because the node was excluded. Retrying: the
 * attempt has not been made yet.
 */
export const ledgerStates = [
  'Started',
  'Succeeded',
  'Failed',
  'Cancelled',
  'Retired',
  'Retrying',
] as const;

export type LedgerState = (typeof ledgerStates)[number];

/** Its Job has ended there, successfully or not, and does not run again. */
export function isLedgerEnd(state: LedgerState | undefined): boolean {
  return state === 'Succeeded' || isLedgerFailure(state);
}

/** It has ended there without success. */
export function isLedgerFailure(state: LedgerState | undefined): state is 'Failed' | 'Cancelled' {
  return state === 'Failed' || state === 'Cancelled';
}

export interface LedgerEntry {
  readonly state: LedgerState;
  readonly attempt: number;
}

/** By the keys of nodes. */
export type Ledger = ReadonlyMap<string, LedgerEntry>;

type Stored = Readonly<Record<string, string>>;

const keyLength = 8;

/** The key of the node with this UID. */
export function nodeKey(uid: Uid): string {
  return hash('sha256', uid, 'base64url').slice(0, keyLength);
}

/** Unknown states are skipped: another version may have written them. */
export function readLedger(stored: Stored | undefined): Ledger {
  if (stored === undefined) return new Map();
  let ledger = read.get(stored);
  if (ledger === undefined) {
    ledger = new Map(Object.entries(stored).flatMap(([title, keys]) => entriesUnder(title, keys)));
    read.set(stored, ledger);
  }
  return ledger;
}

/** A view returns the same status until it changes, and many decisions read it in between. */
const read = new WeakMap<Stored, Ledger>();

function entriesUnder(title: string, keys: string): readonly (readonly [string, LedgerEntry])[] {
  const [state = '', attempt = '0'] = title.split('/');
  if (!isLedgerState(state)) return [];
  const entry = { state, attempt: Number(attempt) };
  const entries: (readonly [string, LedgerEntry])[] = [];
  for (let at = 0; at + keyLength <= keys.length; at += keyLength) {
    entries.push([keys.slice(at, at + keyLength), entry]);
  }
  return entries;
}

function isLedgerState(word: string): word is LedgerState {
  return (ledgerStates as readonly string[]).includes(word);
}

/** Same ledger, same bytes. */
export function storedLedger(ledger: Ledger): Stored {
  const titles = new Map<string, string[]>();
  for (const [key, { state, attempt }] of ledger) {
    const title = attempt === 0 ? state : `${state}/${attempt}`;
    const keys = titles.get(title);
    if (keys === undefined) titles.set(title, [key]);
    else keys.push(key);
  }
  const sorted = [...titles].sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([title, keys]) => [title, keys.sort().join('')]));
}
