import { type Command, InvalidArgumentError } from 'commander';
import type { LogsOptions } from '../commands/logs-options.ts';
import { positiveInteger, seconds } from '../option-values.ts';
import { readingCluster, withAppearance, withExamples } from '../usual-options.ts';

export function addLogs(program: Command): void {
  withExamples(
    withAppearance(readingCluster(program.command('logs'))),
    'logs hello --follow',
    'logs hello/report --tail 20',
    'logs daemonjob/scan --grep "error|warn" --since 10m',
  )
    .description('print what all Pods of a flow, DaemonJob, AppWrapper or Job write')
    .argument('<name>', 'NAME or KIND/NAME; /STEP or /NODE behind it is that part alone')
    .option('-f, --follow', 'continue, also with new Pods, until the object has ended')
    .option('--step <name>', 'as /STEP behind the name')
    .option('-c, --container <name>', 'of these containers only (default: all)')
    .option('-p, --previous', 'of the containers before their last restart')
    .option('--timestamps', 'each line with its time')
    .option('--tail <lines>', 'the last lines of each container', positiveInteger)
    .option(
      '--since <time>',
      'only lines of the last seconds, or of a time such as 10m or 2h',
      seconds,
    )
    .option('--grep <pattern>', 'only lines that match this regular expression', pattern)
    .action(async (name: string, options: LogsOptions) => {
      const { logs } = await import('../commands/logs.ts');
      await logs(name, options);
    });
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError('it is no regular expression of JavaScript');
  }
}
