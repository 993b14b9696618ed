/** Types the command at the end of an explanation. */
import { expect } from 'vitest';
import type { Cause, Explanation } from '#functions/millrace/why/explanation.ts';
import { shellWord } from '#functions/millrace/terminal/shell-word.ts';
import { findBinary } from '../control-plane/binaries.ts';
import { Terminal } from '../terminal.ts';

/** These commands show the object in a list of others, or print a log with the container's own words. */
const namesNothing =
  / (?:get (?:jobtemplates|localqueues|mutatingwebhookconfigurations|nodes)|describe resourcequotas|logs)\b/;
const own = `${shellWord(process.execPath)} functions/millrace/main.ts `;

/** It succeeds and names the explained object or its source. */
export async function typeNext(
  terminal: Terminal,
  { object, causes, next }: Explanation,
): Promise<void> {
  const printed = await terminal.type(next.replace(/^millrace /, own));
  if (namesNothing.test(next)) return;
  const named = [object, ...everyCause(causes).map((cause) => cause.object)];
  // A step is named by its Job, a node by itself.
  const names = named.flatMap(({ kind, name, part = name }) =>
    kind === 'DaemonJob' ? [name, part] : [name],
  );
  expect(
    names.filter((name) => printed.includes(name)),
    `${next} printed ${printed}`,
  ).not.toEqual([]);
}

export function everyCause(causes: readonly Cause[]): readonly Cause[] {
  return causes.flatMap((cause) => [cause, ...everyCause(cause.because)]);
}

/**
 * For an `up` in this process with its state in the folder `millrace` of `home`. Undefined: this machine has no
 * kubectl; with CI=true that is a failure.
 */
export async function terminalBeside(
  kubeconfig: string,
  home: string,
): Promise<Terminal | undefined> {
  const kubectl = await findBinary('kubectl');
  if (kubectl === undefined) {
    if (process.env['CI'] === 'true') throw new Error('there is no kubectl to type commands with');
    return undefined;
  }
  const terminal = new Terminal({ kubectl, home });
  terminal.export('KUBECONFIG', kubeconfig);
  return terminal;
}
