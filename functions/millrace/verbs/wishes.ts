import type { Command } from 'commander';
import type {
  CancelOptions,
  RetryOptions,
  SuspendOptions,
  WishOptions,
} from '../wishes/wish-options.ts';
import { momentAhead, positiveInteger } from '../option-values.ts';
import { say } from '../terminal/say.ts';
import { printingObjects, readingCluster, withExamples } from '../usual-options.ts';

export function addRetry(program: Command): void {
  withExamples(
    wish(program.command('retry')),
    'retry hello',
    'retry hello --step load --step report',
  )
    .description(
      'start failed and skipped parts again, by the templates as they are now; what succeeded stays',
    )
    .argument('<name>', 'NAME or KIND/NAME of a flow or DaemonJob; /STEP behind it is one step')
    .option(
      '--step <step>',
      'only this step and what was skipped because of it; may be repeated',
      collect,
    )
    .option('--refresh', 'read and pin the JobTemplates of these steps again; this is the default')
    .option('--timeout <seconds>', 'how long to wait for the answer', positiveInteger, 15)
    .action(async (name: string, options: RetryOptions) => {
      const { retry } = await import('../commands/retry.ts');
      await retry(name, options, say);
    });
}

export function addCancel(program: Command): void {
  withExamples(
    wish(program.command('cancel').alias('stop')),
    'cancel hello',
    'cancel hello --graceful',
  )
    .description('end a flow or DaemonJob early, and keep its record')
    .argument('<name>', 'NAME or KIND/NAME')
    .option('--graceful', 'let running Jobs finish; nothing new starts')
    .action(async (name: string, options: CancelOptions) => {
      const { cancel } = await import('../commands/cancel.ts');
      await cancel(name, options, say);
    });
}

export function addSuspend(program: Command): void {
  withExamples(
    wish(program.command('suspend')),
    'suspend hello',
    'suspend job/long-calculation --until 8h',
  )
    .description('suspend a flow, DaemonJob, AppWrapper or Job')
    .argument('<name>', 'NAME or KIND/NAME')
    .option(
      '--until <time>',
      'where a suspend policy governs it: hold it so long, such as 8h, or until an RFC 3339 time',
      momentAhead,
    )
    .action(async (name: string, options: SuspendOptions) => {
      const { suspend } = await import('../commands/suspension.ts');
      await suspend(name, options, say);
    });
}

export function addResume(program: Command): void {
  withExamples(
    wish(program.command('resume')),
    'resume hello',
    'resume job/long-calculation --until 8h',
  )
    .description('resume a suspended object, whether a user or a suspend policy suspended it')
    .argument('<name>', 'NAME or KIND/NAME; /STEP or /NODE behind it opens the gate of that part')
    .option(
      '--until <time>',
      'where a suspend policy governs it: let it run so long, such as 8h, or until an RFC 3339 time',
      momentAhead,
    )
    .action(async (name: string, options: SuspendOptions) => {
      const { resume } = await import('../commands/suspension.ts');
      await resume(name, options, say);
    });
}

export function addApprove(program: Command): void {
  withExamples(wish(program.command('approve')), 'approve release', 'approve release/deploy')
    .description(
      'open the manual gates of a flow or DaemonJob: start Jobs made with `suspend: true`',
    )
    .argument('<name>', 'NAME or KIND/NAME; /STEP or /NODE behind it opens one gate (default: all)')
    .action(async (name: string, options: WishOptions) => {
      const { approve } = await import('../commands/approve.ts');
      await approve(name, options, say);
    });
}

function wish(command: Command): Command {
  return printingObjects(readingCluster(command)).option(
    '--dry-run',
    'write nothing; the API server judges it',
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(',')];
}
