/**
 * Ends a message with the command that shows more. The command is never cut, even if the text before
 * it is.
 */
import { maxMessageLength, shortened } from './wording.ts';

export function shownBy(namespace: string, kind: 'pod' | 'job', name: string): string {
  return `${kubectl(namespace)} describe ${kind} ${name}`;
}

export function printedBy(namespace: string, target: string, container?: string): string {
  const aside = container === undefined ? '' : ` -c ${container}`;
  return `${kubectl(namespace)} logs ${target}${aside}`;
}

export function kubectl(namespace: string): string {
  return `kubectl -n ${namespace}`;
}

export function withCommand(text: string, command: string): string {
  const tail = `; ${command}`;
  return `${shortened(text, Math.max(maxMessageLength - tail.length, 0))}${tail}`;
}
