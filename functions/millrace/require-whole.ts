import { CommandFailure, exitCodes } from './command-failure.ts';
import { namedObject } from './named-object.ts';

/** Throws CommandFailure if a part is named and the verb needs a whole. `wholes`: what the verb accepts. */
export function requireWhole(what: string, verb: string, wholes: string): void {
  const { resource, name, part } = namedObject(what);
  if (part === undefined) return;
  const whole = resource === undefined ? name : `${resource.kind.toLowerCase()}/${name}`;
  throw new CommandFailure(
    exitCodes.usage,
    `\`${verb}\` acts on a whole ${wholes}, and ${what} names a part of one`,
    `millrace ${verb} ${whole}`,
  );
}
