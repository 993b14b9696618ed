import type { Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { outputFormat, withExamples } from '../usual-options.ts';

export function addVersion(program: Command): void {
  withExamples(program.command('version'), 'version', 'version -o json')
    .description('print the version')
    .addOption(outputFormat())
    .action(({ output }: { readonly output: 'text' | 'json' }) => {
      const { version } = packageJson;
      const report = { version, node: process.versions.node };
      process.stdout.write(`${output === 'json' ? JSON.stringify(report) : version}\n`);
    });
}
