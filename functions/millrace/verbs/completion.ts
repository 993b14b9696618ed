import { Argument, type Command } from 'commander';
import type { Shell } from '../completion/scripts.ts';
import { withExamples } from '../usual-options.ts';

export function addCompletion(program: Command): void {
  withExamples(
    program.command('completion'),
    'completion bash > /etc/bash_completion.d/millrace',
    'completion zsh > "${fpath[1]}/_millrace"',
    'completion fish > ~/.config/fish/completions/millrace.fish',
    'completion pwsh >> $PROFILE',
  )
    .description('print the script that completes verbs, options and names in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish', 'pwsh']))
    .action(async (shell: Shell) => {
      const { completionScripts } = await import('../completion/scripts.ts');
      process.stdout.write(completionScripts[shell]);
    });
}
