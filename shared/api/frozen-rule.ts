import { ownMember } from '#shared/domain/own-member.ts';
import type { CelRule } from './field.ts';

/**
 * A rule that freezes these fields once `status.startTime` is set. `compared` has the CEL for fields that
 * may count as equal although they differ. `advice` says what else is possible.
 */
export function frozenOnceStarted(
  object: string,
  fields: readonly string[],
  compared: Readonly<Record<string, string>> = {},
  advice = '',
): CelRule {
  const same = (name: string) => ownMember(compared, name) ?? sameValue(name);
  return {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.startTime) || (${fields.map(same).join(' && ')})`,
    messageExpression: `"frozen once the ${object} has started: %s; delete the ${object} first, or apply this under another name${advice}".format([[${fields
      .map((name) => `${same(name)} ? "" : "${name}"`)
      .join(', ')}].filter(name, name != "")])`,
    message: `frozen once the ${object} has started: ${fields.join(', ')}`,
  };
}

const sameValue = (name: string) =>
  `(has(self.spec.${name}) == has(oldSelf.spec.${name}) && (!has(self.spec.${name}) || self.spec.${name} == oldSelf.spec.${name}))`;
