import { enableCompileCache } from 'node:module';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

// The commands are loaded when they are called: from the second start on, without parsing them anew.
enableCompileCache();

// The reader of a pipe may have seen enough: `millrace crds | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// The exit codes stand in command-failure.ts.
try {
  await createProgram('millrace').parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportFailure(error, process.stderr);
}
