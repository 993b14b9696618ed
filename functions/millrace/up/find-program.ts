import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first executable file of this name in the folders of PATH. */
export async function findProgram(
  name: string,
  path: string | undefined,
): Promise<string | undefined> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  for (const folder of (path ?? '').split(delimiter).filter((part) => part !== '')) {
    for (const candidate of names.map((file) => join(folder, file))) {
      if (await isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    // Absent or not executable: it is not the program.
    return false;
  }
}
