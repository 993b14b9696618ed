import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { kubeconfigFor } from '#functions/sandbox/http/kubeconfig.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/**
 * Writes a kubeconfig that names the sandbox and nothing else. Throws CommandFailure when the file is
 * one that `up` has not written: it may be the user's own.
 */
export async function writeKubeconfig(file: string, server: string): Promise<void> {
  const text = kubeconfigFor(server);
  const present = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (present !== undefined && !isOwn(present, text)) {
    const message = `${file} holds something that millrace has not written; it stays as it is`;
    throw new CommandFailure(exitCodes.usage, message, 'name another file with --kubeconfig-out');
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
}

/** Equal but for the address of the server. */
function isOwn(present: string, text: string): boolean {
  if (present.trim() === '') return true;
  return withoutServer(present) === withoutServer(text);
}

function withoutServer(text: string): string | undefined {
  try {
    return JSON.stringify(parse(text), (key, value: unknown) => (key === 'server' ? '' : value));
  } catch {
    // No YAML: nothing of ours.
    return undefined;
  }
}
