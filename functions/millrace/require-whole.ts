import { CommandFailure, exitCodes } from './command-failure.ts';
import { kindNear, namedObject } from './named-object.ts';

/** Throws CommandFailure if a part is named and the verb needs a whole. `wholes`: what the verb accepts. */
export function requireWhole(what: string, verb: string, wholes: string): void {
  const { resource, name, part } = namedObject(what);
  if (part === undefined) return;
  const message = `\`${verb}\` acts on a whole ${wholes}, and ${what} names a part of one`;
  const meant = resource === undefined ? kindNear(name) : undefined;
  if (meant !== undefined) {
    const kind = `${meant}/${part}`;
    throw new CommandFailure(
      exitCodes.usage,
      `${message}; did you mean ${kind}?`,
      `the same with ${kind}`,
    );
  }
  const whole = resource === undefined ? name : `${resource.kind.toLowerCase()}/${name}`;
  throw new CommandFailure(exitCodes.usage, message, `millrace ${verb} ${whole}`);
}
