import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { kubeconfigFor, type SandboxAddress } from '#sandbox';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/**
 * Writes a kubeconfig with only the sandbox, readable by its owner alone. Throws CommandFailure if `up` did not
 * write the existing file: it may be the user's own.
 */
export async function writeKubeconfig(file: string, address: SandboxAddress): Promise<void> {
  const text = kubeconfigFor(address);
  const present = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (present !== undefined && !isOwn(present, text)) {
    const message = `${file} was not written by millrace and stays unchanged`;
    throw new CommandFailure(exitCodes.usage, message, 'name another file with --kubeconfig-out');
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // A new file replaces the old one, whose mode and open handles would otherwise stay.
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}

/** Equal except for what differs at each start. */
function isOwn(present: string, text: string): boolean {
  if (present.trim() === '') return true;
  return withoutOwnFacts(present) === withoutOwnFacts(text);
}

const ownFacts: readonly string[] = ['server', 'certificate-authority-data', 'token'];

function withoutOwnFacts(text: string): string | undefined {
  try {
    return JSON.stringify(parse(text), (key, value: unknown) =>
      ownFacts.includes(key) ? '' : value,
    );
  } catch {
    // No YAML, so `up` did not write it.
    return undefined;
  }
}
