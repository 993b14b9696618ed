import type { Command } from 'commander';
import { withExamples } from '../usual-options.ts';

export function addCrds(program: Command): void {
  withExamples(
    program.command('crds'),
    'crds | kubectl apply --server-side -f -',
    'crds | kubectl diff --server-side -f -',
  )
    .description('print the CustomResourceDefinitions as YAML')
    .action(async () => {
      const { readCrds } = await import('../commands/crds.ts');
      process.stdout.write(await readCrds());
    });
}
