import type { Command } from 'commander';
import { exitCodes } from '#functions/millrace/command-failure.ts';

const introduction = [
  'Data goes to standard output; progress, hints and errors go to standard error. An error says what failed and, after',
  '`next:`, what to do. `millrace VERB --help` prints what stands here. As `kubectl-millrace` on PATH the same program',
  'is a plugin: `kubectl millrace VERB`.',
].join('\n');

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  general: 'something else failed',
  usage: 'the command line is wrong',
  unchanged: 'nothing has changed, and `--error-unchanged` asks for it',
  notFound: 'there is no such object',
  invalidInput: 'a file or object is not as it has to be',
  timeout: 'it took longer than was allowed',
  flowFailed: 'the object that was followed has failed',
  unreachable: 'the API server, the queue or a function cannot be reached',
  findings:
    'there are findings: a replay differs, a manifest has a fault, a check fails, a function parks',
  interrupted: 'it was interrupted',
};

/** The help of every verb as one page. */
export function commandsPage(program: Command, notice: string): string {
  const width = 100;
  program.configureOutput({ getOutHelpWidth: () => width });
  const sections = titled(program).map(([title, command]) => {
    let help = '';
    command
      .configureOutput({ getOutHelpWidth: () => width, writeOut: (text) => (help += text) })
      .outputHelp();
    return `## ${title}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`;
  });
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`,
  );
  return [
    ...[notice, '', '# Commands', '', introduction, '', ...sections, '## Exit codes', ''],
    ...['| code | meaning |', '| ---- | ------- |', '| 0 | success |', ...codes, ''],
  ].join('\n');
}

function titled({ commands }: Command, above = ''): readonly (readonly [string, Command])[] {
  return commands.flatMap((command) => {
    const title = `${above}${command.name()}`;
    return [[title, command] as const, ...titled(command, `${title} `)];
  });
}
