import { execFile } from 'node:child_process';

/** The text of promtool on standard error, and its failure. Empty: no findings. */
export function findingsOf(promtool: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(promtool, [...args], (error, _, stderr) => {
      resolve(error === null ? stderr : error.message);
    });
    child.stdin?.end(input);
  });
}
