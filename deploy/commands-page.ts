import type { Command } from 'commander';
import { outputSchemas } from '#functions/millrace/output-schemas.ts';
import { exitCodes, exitMeanings, type ExitWord } from '#functions/millrace/command-failure.ts';

const introduction = [
  'Data goes to standard output; progress, hints and errors go to standard error. An error says what failed and, after',
  '`next:`, what to do; with `-o json` it is one line of JSON ([schema](output/error.schema.json)). `--json` is `-o json`.',
  '`millrace VERB --help` prints what stands here. As `kubectl-millrace` on PATH the same program is a plugin:',
  '`kubectl millrace VERB`. Examples and hints name the program as you called it, such as `npx millrace`.',
  '',
  `The shapes of \`-o json\` are published, and a member is added at most: ${Object.keys(
    outputSchemas,
  )
    .map((verb) => `[${verb}](output/${verb}.schema.json)`)
    .join(', ')}.`,
].join('\n');

/** The help of every command as one page. */
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
    ([name, code]) => `| ${code} | ${exitMeanings[name as ExitWord]} |`,
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
