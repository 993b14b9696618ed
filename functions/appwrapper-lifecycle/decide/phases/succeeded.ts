/** The wrapper has succeeded. Its resources stay for a while. It stays itself, unless its author wants it deleted. */
import type { Decision } from '#shared/domain/decision.ts';
import { objectName } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { goesAfterSuccess } from '../../subscription/unfinished.ts';
import { found, notYet } from '../outcome.ts';
import { remove } from '../removal.ts';
import { type Decider, holds, sinceMs, type Situation } from '../situation.ts';

export const succeeded: Decider = (situation) => {
  const goes = goesAfterSuccess(situation.wrapper);
  if (!holds(situation, 'ResourcesDeployed') && !goes)
    return notYet('Succeeded', 'it has succeeded');
  const dueMs = sinceMs(situation, 'Finished') + situation.settings.successTtlMs;
  if (situation.nowMs < dueMs) return notYet('Succeeded', 'its resources stay for a while', dueMs);
  if (goes) return deletion(situation);
  const message = 'it has succeeded, and its resources are gone';
  return remove(situation, { news: [found('ResourcesDeployed', false, 'Succeeded', message)] });
};

/** Its resources are deleted first, as in any other deletion. */
function deletion({ wrapper: { metadata } }: Situation): Decision {
  const { uid } = metadata;
  const target = objectName(metadata);
  const resource = resources.AppWrapper;
  const message = 'it has succeeded, and its author wants it to go then';
  return {
    ...notYet('DeletedAfterSuccess', message),
    plan: [[{ kind: 'delete', resource, target, uid, propagation: 'Background' }]],
  };
}
