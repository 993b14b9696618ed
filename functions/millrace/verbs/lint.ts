import { type Command, Option } from 'commander';
import type { LintOptions } from '../commands/lint.ts';
import { policy } from '../option-values.ts';
import { say } from '../terminal/say.ts';
import { withExamples } from '../usual-options.ts';

export function addLint(program: Command): void {
  withExamples(
    program.command('lint'),
    'lint deploy/examples',
    'lint flow.yaml templates.yaml --policy profile=restricted -o github',
  )
    .description('judge manifests by the rules of the CRDs and of admission; needs no cluster')
    .argument('<file...>', 'manifests, folders of them, or - for standard input')
    .option('--policy <rules>', 'what is refused in Pods, as of `run`', policy)
    .option('--strict', 'exit with 9 where there are only warnings, too')
    .addOption(
      new Option('-o, --output <format>', 'text; json: one finding a line; github; sarif')
        .choices(['text', 'json', 'github', 'sarif'])
        .default('text'),
    )
    .action(async (files: readonly string[], options: LintOptions) => {
      const { lint } = await import('../commands/lint.ts');
      process.exitCode = await lint(files, options, say);
    });
}
