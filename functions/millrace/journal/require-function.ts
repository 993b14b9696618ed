import { subscriptions } from '#functions/list.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/** Throws CommandFailure if no function has this name: the result would always be empty. */
export function requireFunction(name: string | undefined): void {
  const names = subscriptions.map((subscription) => subscription.name);
  if (name === undefined || names.includes(name)) return;
  throw new CommandFailure(
    exitCodes.usage,
    `there is no function ${name}`,
    `use one of ${names.join(', ')}`,
  );
}
