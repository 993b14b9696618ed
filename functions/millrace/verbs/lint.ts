import { type Command, Option } from 'commander';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { LintOptions } from '../commands/lint.ts';
import { collect, policy } from '../option-values.ts';
import { say } from '../terminal/say.ts';
import { withExamples } from '../usual-options.ts';

interface TypedOptions extends LintOptions {
  readonly filename?: readonly string[];
}

export function addLint(program: Command): void {
  withExamples(
    program.command('lint'),
    'lint deploy/examples',
    'lint flow.yaml templates.yaml --policy profile=restricted -o github',
  )
    .description('judge manifests by the rules of the CRDs and of admission; needs no cluster')
    .argument('[file...]', 'manifests, folders of them, or - for standard input')
    .option('-f, --filename <file>', 'as FILE; may be repeated', collect)
    .option('--policy <rules>', 'what is refused in Pods, as of `run`', policy)
    .option('--strict', 'exit with 9 for warnings too')
    .addOption(
      new Option('-o, --output <format>', 'text; json: one finding a line; github; sarif')
        .choices(['text', 'json', 'github', 'sarif'])
        .default('text'),
    )
    .action(async (files: readonly string[], { filename = [], ...options }: TypedOptions) => {
      const paths = [...files, ...filename];
      if (paths.length === 0) {
        const message = 'a file or folder is needed';
        throw new CommandFailure(exitCodes.usage, message, 'millrace lint deploy/examples');
      }
      const { lint } = await import('../commands/lint.ts');
      process.exitCode = await lint(paths, options, say);
    });
}
