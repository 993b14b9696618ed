/** Whether Millrace has seen the current object. If not, what is known of its place in the queue. */
import { subscriptions } from '#functions/list.ts';
import { isOf, type KubeObject } from '#shared/domain/objects.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { cannotGoOn } from '#shared/runtime/function/failing-objects.ts';
import { latestEvent } from './events.ts';
import type { Cause, Named } from './explanation.ts';
import { otherManagerOf } from './managed-causes.ts';
import { describe, millrace, type Surroundings } from './surroundings.ts';

/** Causes from the queue: the object is parked, or was not processed yet. */
export async function queueCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const parked = parkedCauses(object, named, around);
  if (parked.length > 0) return parked;
  // Another controller writes its status.
  if (otherManagerOf(object) !== undefined) return [];
  const seen = fieldsOf(object.status)['observedGeneration'];
  const isSeen =
    object.metadata.generation === undefined
      ? object.status !== undefined
      : seen === undefined
        ? Object.keys(fieldsOf(object.status)).length > 0
        : seen === object.metadata.generation;
  return isSeen ? [] : [await unseen(object, named, around)];
}

function functionsOf(object: KubeObject): readonly string[] {
  return subscriptions
    .filter(({ decides }) => decides.some((resource) => isOf(object, resource)))
    .map(({ name }) => name);
}

function parkedCauses(
  { metadata }: KubeObject,
  object: Named,
  around: Surroundings,
): readonly Cause[] {
  const found = (around.queue ?? []).flatMap(({ function: name, parked }) =>
    parked.filter(({ uid }) => uid === metadata.uid).map((item) => ({ name, ...item })),
  );
  return found.map(({ name, reason, parkedAtMs }) => ({
    object,
    reason: 'Parked',
    message: `${name} put it aside at ${rfc3339(parkedAtMs)}, and looks again with the next sweep or change: ${reason}`,
    source: `queue of ${name}`,
    next: lookAgain(object, around),
    because: [],
  }));
}

/** A parked item may have no decision in the journal. */
function lookAgain({ kind, namespace, name }: Named, around: Surroundings): string {
  const where = namespace === '' ? '' : ` -n ${shellWord(namespace)}`;
  const words = `queue retry ${kind.toLowerCase()}/${shellWord(name)}${where}`;
  return millrace(around, words, around.queueOptions);
}

async function unseen(object: KubeObject, named: Named, around: Surroundings): Promise<Cause> {
  const { generation } = object.metadata;
  const seen = fieldsOf(object.status)['observedGeneration'];
  const message =
    typeof seen !== 'number'
      ? 'Millrace has not written a status yet'
      : `Millrace has seen generation ${seen} of it, and not ${generation ?? 'the latest'}`;
  return {
    object: named,
    reason: 'NotSeenYet',
    message,
    source: 'status.observedGeneration',
    next: around.queue === undefined ? millrace(around, 'doctor') : describe(around, named),
    because: [...(await failureCauses(object, named, around)), ...lagCauses(object, named, around)],
  };
}

/** The reasons why its last runs failed. */
async function failureCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const event = await latestEvent(object, [cannotGoOn], around);
  if (event === undefined) return [];
  const message = textOf(event['message']);
  const source = `Event ${cannotGoOn}`;
  return [{ object: named, reason: cannotGoOn, message, source, because: [] }];
}

function lagCauses(object: KubeObject, named: Named, { queue }: Surroundings): readonly Cause[] {
  const names = functionsOf(object);
  return (queue ?? [])
    .filter(({ function: name, depth }) => names.includes(name) && depth.waiting > 0)
    .map(({ function: name, depth }) => ({
      object: named,
      reason: 'QueueLag',
      message: `${depth.waiting} ${depth.waiting === 1 ? 'object waits' : 'objects wait'} for ${name}, and it looks at ${depth.running}`,
      source: `queue of ${name}`,
      because: [],
    }));
}
