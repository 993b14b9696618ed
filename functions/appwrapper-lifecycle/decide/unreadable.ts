/** A component whose kind Millrace may not read. */
import { labels } from '#shared/domain/labels.ts';
import { createdAtMs } from './component-states.ts';
import type { Part } from './situation.ts';

/** A right is often granted minutes later. */
export const againMs = 15_000;

export function whyUnreadable({ observed: { unreadable = '' } }: Part): string {
  return `Millrace may not read it (${unreadable}); an administrator allows it with a ClusterRole that has the label ${labels.aggregateToWrapped}=true`;
}

/** It was created when Millrace could still read it. Nothing is created that Millrace cannot read. */
export function isHidden(part: Part): boolean {
  return part.observed.unreadable !== undefined && createdAtMs(part) !== undefined;
}
