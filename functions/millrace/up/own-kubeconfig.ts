import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { kubeconfigFor, type SandboxAddress } from '#sandbox';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/**
 * Writes a kubeconfig that names the sandbox and nothing else, for its owner alone. Throws
 * CommandFailure when the file is one that `up` has not written: it may be the user's own.
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
  // A new file in its place: the mode of a present one, and who has it open, would stay.
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}

/** Equal but for what each start has of its own. */
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
    // No YAML: nothing of ours.
    return undefined;
  }
}
