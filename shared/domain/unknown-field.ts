/** `unknown field "spec.template.spec.containers[0].comand"`: the API server reports that it drops a field. */
import { isList, isObject } from './json-value.ts';
import { jsonEqual } from './merge-patch.ts';
import { ownMember } from './own-member.ts';

/** The path in the API server's message. Empty: it quotes none. */
export function unknownFieldIn(message: string): string {
  return /"(.*)"/s.exec(message)?.[1] ?? '';
}

/** The command that lists the fields beside this one of a Job. */
export function explainedBeside(path: string): string {
  const parent = path
    .replace(/\[\d+\]/g, '')
    .split('.')
    .slice(0, -1);
  return `kubectl explain ${['job', ...parent].join('.')}`;
}

/** Whether both objects have this member with the same value. */
export function haveAlike(path: string, one: unknown, other: unknown): boolean {
  const member = memberAt(one, path);
  return member !== undefined && jsonEqual(member, memberAt(other, path));
}

function memberAt(object: unknown, path: string): unknown {
  let member = object;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (name !== undefined) member = isObject(member) ? ownMember(member, name) : undefined;
    else member = isList(member) ? member[Number(index)] : undefined;
  }
  return member;
}
