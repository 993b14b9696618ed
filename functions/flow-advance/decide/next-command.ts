/** Messages that end with the command that tells more; it stays whole, whatever the text before it. */
import { annotations } from '#shared/domain/labels.ts';
import { maxMessageLength, shortened } from './record.ts';
import type { Situation } from './situation.ts';

export function shownBy({ flow }: Situation, kind: 'pod' | 'job', name: string): string {
  return `kubectl -n ${flow.metadata.namespace ?? 'default'} describe ${kind} ${name}`;
}

export function printedBy({ flow }: Situation, target: string, container?: string): string {
  const aside = container === undefined ? '' : ` -c ${container}`;
  return `kubectl -n ${flow.metadata.namespace ?? 'default'} logs ${target}${aside}`;
}

/** Another value starts another retry, so the number of the one before is counted up. */
export function retryCommand({ flow, status }: Situation): string {
  const { name, namespace = 'default' } = flow.metadata;
  const next = /^\d{1,9}$/.test(status.retryNonce ?? '') ? Number(status.retryNonce) + 1 : 1;
  return `kubectl -n ${namespace} annotate mjf ${name} ${annotations.retry}=${next} --overwrite`;
}

export function withCommand(text: string, command: string): string {
  const tail = `; ${command}`;
  return `${shortened(text, Math.max(maxMessageLength - tail.length, 0))}${tail}`;
}
