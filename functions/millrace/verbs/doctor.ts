import type { Command } from 'commander';
import type { ClusterOptions } from '../commands/install-options.ts';
import { say } from '../terminal/say.ts';
import { inCluster, withExamples } from '../usual-options.ts';

export function addDoctor(program: Command): void {
  withExamples(
    inCluster(program.command('doctor')),
    'doctor',
    'doctor --context production -n batch-system',
  )
    .description('check that everything that is installed in a cluster exists and works')
    .option('--cluster', 'check a cluster (the default)')
    .action(async (options: ClusterOptions) => {
      const { doctor } = await import('../commands/install.ts');
      process.exitCode = (await doctor(options, say)) ? 0 : 1;
    });
}
