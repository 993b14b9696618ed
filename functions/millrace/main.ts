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

// Set by the launcher of the plugin of kubectl. The exit codes stand in command-failure.ts.
const program = createProgram(process.env['MILLRACE_PROGRAM'] ?? 'millrace');
let output: unknown;
program.hook('preAction', (_, command) => {
  ({ output } = command.optsWithGlobals());
});
const [first, ...words] = process.argv.slice(2);
try {
  if (first === '__complete') {
    // Before anything is parsed: what a shell asks about is not finished.
    const { answerShell } = await import('./completion/answer.ts');
    process.stdout.write(await answerShell(program, words));
  } else {
    await program.parseAsync();
  }
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportFailure(error, process.stderr, output === 'json');
}
