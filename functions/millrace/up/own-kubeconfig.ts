import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { kubeconfigFor } from '#functions/sandbox/http/kubeconfig.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export interface KubeconfigFacts {
  readonly server: string;
  readonly token: string;
}

/**
 * Writes a kubeconfig that names the sandbox and nothing else, for its owner alone. Throws
 * CommandFailure when the file is one that `up` has not written: it may be the user's own.
 */
export async function writeKubeconfig(file: string, facts: KubeconfigFacts): Promise<void> {
  const text = kubeconfigFor(facts.server, facts.token);
  const present = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (present !== undefined && !isOwn(present, text)) {
    const message = `${file} holds something that millrace has not written; it stays as it is`;
    throw new CommandFailure(exitCodes.usage, message, 'name another file with --kubeconfig-out');
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // A new file in its place: the mode of a present one, and who has it open, would stay.
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}

/** Equal but for the address of the server and the token. */
function isOwn(present: string, text: string): boolean {
  if (present.trim() === '') return true;
  return withoutOwnFacts(present) === withoutOwnFacts(text);
}

function withoutOwnFacts(text: string): string | undefined {
  try {
    return JSON.stringify(parse(text), (key, value: unknown) =>
      key === 'server' || key === 'token' ? '' : value,
    );
  } catch {
    // No YAML: nothing of ours.
    return undefined;
  }
}
