import type { Command } from 'commander';
import { commandNamed } from '../command-named.ts';
import { withExamples } from '../usual-options.ts';

export function addHelp(program: Command): void {
  withExamples(program.command('help'), 'help queue retry', 'help --all')
    .description('print the help of a verb, or of all')
    .argument('[verb...]')
    .option('--all', 'of every verb')
    .action((words: readonly string[], { all = false }: { readonly all?: boolean }) => {
      let asked = program;
      for (const word of words) {
        const found = commandNamed(asked, word);
        // It reports the unknown verb and similar ones.
        if (found === undefined) return void asked.parse([word], { from: 'user' });
        asked = found;
      }
      const shown = all ? [asked, ...below(asked)] : [asked];
      for (const each of shown) each.outputHelp();
    });
}

function below({ commands }: Command): readonly Command[] {
  return commands.flatMap((each) => [each, ...below(each)]);
}
