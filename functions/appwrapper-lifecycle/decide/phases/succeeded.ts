/** It has succeeded. Its resources stay for a while; it stays itself. */
import { found, notYet } from '../outcome.ts';
import { remove } from '../removal.ts';
import { type Decider, holds, sinceMs } from '../situation.ts';

export const succeeded: Decider = (situation) => {
  if (!holds(situation, 'ResourcesDeployed')) return notYet('Succeeded', 'it has succeeded');
  const dueMs = sinceMs(situation, 'Finished') + situation.settings.successTtlMs;
  if (situation.nowMs < dueMs) return notYet('Succeeded', 'its resources stay for a while', dueMs);
  const message = 'it has succeeded, and its resources are gone';
  return remove(situation, { news: [found('ResourcesDeployed', false, 'Succeeded', message)] });
};
