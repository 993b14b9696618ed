import type { Command } from 'commander';
import type { ApplyOptions, DeleteOptions } from '../commands/apply-options.ts';
import { collect, policy, positiveInteger } from '../option-values.ts';
import { say } from '../terminal/say.ts';
import { printingObjects, readingCluster, withExamples } from '../usual-options.ts';

export function addApply(program: Command): void {
  withExamples(
    changing(program.command('apply')).requiredOption(...filename),
    'apply -f deploy/examples/hello.yaml',
    'apply -f flows/ --dry-run',
  )
    .description('judge manifests as `lint` does, then apply them server-side, as kubectl does')
    .option('--policy <rules>', 'what is refused in Pods, as of `run`', policy)
    .option('--force-conflicts', 'take over fields that somebody else has written')
    .option('--error-unchanged', 'exit with 3 if everything existed already')
    .action(async (options: ApplyOptions) => {
      const { apply } = await import('../commands/apply.ts');
      process.exitCode = await apply(options, say);
    });
}

export function addDelete(program: Command): void {
  withExamples(
    changing(program.command('delete')).option(...filename),
    'delete hello',
    'delete jobflow hello other --ignore-not-found',
    'delete -f deploy/examples/hello.yaml',
  )
    .description('delete objects by name or manifest, and wait until they are gone')
    .argument('[name...]', 'NAME, KIND/NAME or KIND NAME, also several')
    .option('--ignore-not-found', 'do not fail if an object does not exist')
    .option('--no-wait', 'return when it is being deleted')
    .option('--timeout <seconds>', 'give up waiting after this long', positiveInteger, 60)
    .action(async (names: readonly string[], options: DeleteOptions) => {
      const { deleteObjects } = await import('../commands/apply.ts');
      await deleteObjects(names, options, say);
    });
}

const filename = [
  '-f, --filename <file>',
  'manifests, a folder of them, or - for standard input; may be repeated',
  collect,
] as const;

function changing(command: Command): Command {
  return printingObjects(readingCluster(command)).option(
    '--dry-run',
    'write nothing; the API server judges it',
  );
}
