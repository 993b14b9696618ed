/** Messages that end with the command that tells more; it stays whole, whatever the text before it. */
import { annotations } from '#shared/domain/labels.ts';
import { flowName } from './object-names.ts';
import { maxMessageLength, shortened } from './record.ts';
import type { Situation } from './situation.ts';

export function shownBy(situation: Situation, kind: 'pod' | 'job', name: string): string {
  return `${kubectl(situation)} describe ${kind} ${name}`;
}

export function printedBy(situation: Situation, target: string, container?: string): string {
  const aside = container === undefined ? '' : ` -c ${container}`;
  return `${kubectl(situation)} logs ${target}${aside}`;
}

/** Another value starts another retry, so the number of the one before is counted up. */
export function retryCommand(situation: Situation): string {
  const { retryNonce = '' } = situation.status;
  const next = /^\d{1,9}$/.test(retryNonce) ? Number(retryNonce) + 1 : 1;
  const { name } = flowName(situation);
  return `${kubectl(situation)} annotate mjf ${name} ${annotations.retry}=${next} --overwrite`;
}

function kubectl(situation: Situation): string {
  return `kubectl -n ${flowName(situation).namespace}`;
}

export function withCommand(text: string, command: string): string {
  const tail = `; ${command}`;
  return `${shortened(text, Math.max(maxMessageLength - tail.length, 0))}${tail}`;
}
