/** A component that Millrace cannot read: it may not read the kind, or what serves the kind does not answer. */
import { createdAtMs } from './component-states.ts';
import type { Part } from './situation.ts';

/** A right is often granted minutes later. */
export const againMs = 15_000;

export function whyUnreadable({ observed: { unreadable = '' } }: Part): string {
  return `Millrace cannot read it: ${unreadable}`;
}

/** It was created when Millrace could still read it. Nothing is created that Millrace cannot read. */
export function isHidden(part: Part): boolean {
  return part.observed.unreadable !== undefined && createdAtMs(part) !== undefined;
}
