import { type Command, Option } from 'commander';
import type { SchedulePreviewOptions } from '../commands/schedule-preview-options.ts';
import { withExamples } from '../usual-options.ts';

export function addSchedule(program: Command): void {
  const examples = [
    'schedule preview nights.yaml',
    'schedule preview nights --from 2026-03-27 --to 2026-03-31',
  ] as const;
  const schedule = withExamples(program.command('schedule'), ...examples).description(
    'about the schedules of suspend policies',
  );
  withExamples(schedule.command('preview'), ...examples)
    .description('when a policy lets work run, in its time zone and in UTC')
    .argument('<file|name>', 'a manifest, - for standard input, or a policy of the cluster')
    .option('--from <time>', 'a date in the zone of the policy, or RFC 3339 (default: now)')
    .option('--to <time>', 'likewise (default: a week later)')
    .addOption(
      new Option('-o, --output <format>', 'text; week: only the picture, a line per day; json')
        .choices(['text', 'week', 'json'])
        .default('text'),
    )
    .option('--kubeconfig <file>', 'where a policy of the cluster is looked up')
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace of a policy of the cluster')
    .action(async (what: string, options: SchedulePreviewOptions) => {
      const { schedulePreview } = await import('../commands/schedule-preview.ts');
      process.stdout.write(await schedulePreview(what, options, Date.now()));
    });
}
