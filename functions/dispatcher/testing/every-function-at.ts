import { subscriptions } from '#functions/list.ts';
import { urlVariable } from '../configuration.ts';

/** The environment of a dispatcher with the same URL for every function. */
export function everyFunctionAt(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(subscriptions.map(({ name }) => [urlVariable(name), url]));
}
