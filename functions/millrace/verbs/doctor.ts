import type { Command } from 'commander';
import type { DoctorOptions } from '../commands/doctor-options.ts';
import { say } from '../terminal/say.ts';
import { fromRedis, inCluster, outputFormat, withExamples } from '../usual-options.ts';

export function addDoctor(program: Command): void {
  withExamples(
    fromRedis(inCluster(program.command('doctor'))),
    'doctor',
    'doctor --redis redis://127.0.0.1:6379',
    'doctor --context production -n batch-system -o json',
  )
    .description(
      'check all that Millrace needs; print what is wrong, and the command that mends it',
    )
    .option('--cluster', 'check a cluster, also while a `millrace up` runs')
    .addOption(outputFormat())
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('../commands/doctor.ts');
      process.exitCode = await doctor(options, say);
    });
}
