/**
 * Ends child processes when the process that started them is gone, however it went (kill -9 too).
 *
 * A shell reads pids from a pipe whose other end we hold. The kernel closes that end when we die,
 * the shell then kills what is still listed and removes the folder.
 */
import { spawn } from 'node:child_process';

const script = `
pids=""
while read -r word pid; do
  kept=""
  for known in $pids; do [ "$known" = "$pid" ] || kept="$kept $known"; done
  pids="$kept"
  [ "$word" = watch ] && pids="$pids $pid"
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
[ -n "$pids" ] && [ -n "$1" ] && rm -rf "$1"
exit 0
`;

export interface OrphanGuard {
  watch(pid: number): void;
  /** To be called when a child has ended, before its pid can be given to someone else. */
  forget(pid: number): void;
  /** Lets the guard end; children still watched are killed. */
  close(): void;
}

/** `folder` is removed along with the orphans; a clean stop removes it itself. */
export function startOrphanGuard(folder: string): OrphanGuard {
  // Its own session, so that a Ctrl-C in the terminal reaches us and not the guard.
  const shell = spawn('sh', ['-c', script, 'orphan-guard', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  shell.stdin.on('error', () => {
    // The guard is gone: nothing to tell it any more.
  });
  return {
    watch: (pid) => void shell.stdin.write(`watch ${pid}\n`),
    forget: (pid) => void shell.stdin.write(`forget ${pid}\n`),
    close: () => void shell.stdin.end(),
  };
}
