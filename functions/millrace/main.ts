import { enableCompileCache } from 'node:module';
import { type Command, CommanderError } from 'commander';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';
import { asksForJson, usageFailure, withoutEqualsSigns } from './usage-failure.ts';

// Commands are loaded when they are called. From the second start on, parsing is saved.
enableCompileCache();

// The reader of a pipe may close it early: `millrace crds | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  const message = `standard output cannot be written: ${error.message}`;
  const next = 'make room there, or write elsewhere';
  process.exit(reportFailure(new CommandFailure(exitCodes.general, message, next), process.stderr));
});

// Set by the launcher of the kubectl plugin. The exit codes are in command-failure.ts.
const called = process.env['MILLRACE_PROGRAM'] ?? 'millrace';
const program = createProgram(called);
let asked: Command | undefined;
program.hook('preAction', (_, command) => {
  asked = command;
});
const typed = process.argv.slice(2);
const [first, ...words] = typed;
try {
  if (first === '__complete') {
    // Before any parsing, because the words for a completion are unfinished.
    const { answerShell } = await import('./completion/answer.ts');
    process.stdout.write(await answerShell(program, words));
  } else {
    await program.parseAsync(withoutEqualsSigns(typed), { from: 'user' });
  }
} catch (error) {
  if (!(error instanceof CommanderError)) {
    const { output } = asked?.optsWithGlobals<{ readonly output?: unknown }>() ?? {};
    const options = { asJson: output === 'json', called, ...(asked && { asked }) };
    process.exitCode = reportFailure(error, process.stderr, options);
  } else if (error.code === 'commander.help') {
    // The help was printed instead of the required argument.
    process.exitCode = exitCodes.usage;
  } else if (error.exitCode !== 0) {
    const failure = usageFailure(program, typed, error);
    const options = { asJson: asksForJson(typed), called };
    process.exitCode = reportFailure(failure, process.stderr, options);
  }
}
