/** A component that Millrace cannot read, mostly because it may not read the kind. */
import { labels } from '#shared/domain/labels.ts';
import { createdAtMs } from './component-states.ts';
import type { Part } from './situation.ts';

/** A right is often granted minutes later. */
export const againMs = 15_000;

export function whyUnreadable({ observed: { unreadable = '' } }: Part): string {
  return `Millrace cannot read it (${unreadable}); a missing right is granted by a ClusterRole with the label ${labels.aggregateToWrapped}=true`;
}

/** It was created when Millrace could still read it. Nothing is created that Millrace cannot read. */
export function isHidden(part: Part): boolean {
  return part.observed.unreadable !== undefined && createdAtMs(part) !== undefined;
}
