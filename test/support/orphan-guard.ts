/**
 * Ends child processes when their parent is gone for any reason, including kill -9.
 *
 * A shell reads pids from a pipe whose other end this process holds. The kernel closes that end
 * when the process dies. The shell then kills all listed processes and removes the folder.
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
  /** Call it when a child has ended, before its pid can be reused. */
  forget(pid: number): void;
  /** Ends the guard; remaining children are killed. */
  close(): void;
}

/** `folder` is removed along with the orphans; a clean stop removes it itself. */
export function startOrphanGuard(folder: string): OrphanGuard {
  // In its own session, so that a Ctrl-C in the terminal does not reach the guard.
  const shell = spawn('sh', ['-c', script, 'orphan-guard', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  shell.stdin.on('error', () => {
    // The guard has ended and needs no input.
  });
  return {
    watch: (pid) => void shell.stdin.write(`watch ${pid}\n`),
    forget: (pid) => void shell.stdin.write(`forget ${pid}\n`),
    close: () => void shell.stdin.end(),
  };
}
