/** Errors of the file system, in words for users. */
const words: ReadonlyMap<string, (path: string) => string> = new Map([
  ['ENOENT', (path: string) => `${path} does not exist`],
  ['EACCES', (path: string) => `this user may not use ${path}`],
  ['EPERM', (path: string) => `this user may not use ${path}`],
  ['EISDIR', (path: string) => `${path} is a folder, not a file`],
  ['ENOTDIR', (path: string) => `a part of ${path} is a file, not a folder`],
  ['EEXIST', (path: string) => `${path} is there already`],
]);

export interface FileFault {
  readonly code: string;
  readonly message: string;
}

/** Undefined: it is no error of the file system about a path. `named`: a path that the sentence before has already. */
export function fileFault(error: unknown, named?: string): FileFault | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('path' in error)) return undefined;
  const { code = '', path = '', message } = error as NodeJS.ErrnoException;
  return { code, message: words.get(code)?.(path === named ? 'it' : path) ?? message };
}
