import type { Command } from 'commander';
import type { InvokeOptions } from '../commands/invoke-options.ts';
import { httpUrl, positiveInteger } from '../option-values.ts';
import { say } from '../terminal/say.ts';
import { outputFormat, readingCluster, withExamples } from '../usual-options.ts';

const endings = `
Exit codes:
  0  it is done or will be looked at again
  1  the function was busy or failed
  5  the event was refused
  6  there was no answer in time
  8  the function was not reached
  9  the object is parked`;

export function addInvoke(program: Command): void {
  withExamples(
    readingCluster(program.command('invoke')),
    'invoke flow-advance jobflow/hello',
    'invoke flow-advance hello --url http://127.0.0.1:8080 --dry-run',
    'invoke flow-advance --event event.json --url http://127.0.0.1:8080 --key-file delivery-key',
  )
    .description('send an event to a function, and print what it made of it')
    .argument('<function>', 'which one, such as flow-advance')
    .argument('[name]', 'NAME or KIND/NAME: the object that is due, or a child of it')
    .option(
      '--event <file>',
      'send this CloudEvent (JSON event format) as it is; - for standard input',
    )
    .option(
      '--url <url>',
      'where the function listens (default: in the `millrace up` of the cluster)',
      httpUrl,
    )
    .option('--key-file <file>', 'with --url: sign with the delivery key in this file')
    .option('--dry-run', 'print the HTTP request, and send nothing')
    .option('--timeout <seconds>', 'how long to wait for the answer', positiveInteger, 30)
    .addOption(outputFormat())
    .addHelpText('after', endings)
    .action(async (name: string, object: string | undefined, options: InvokeOptions) => {
      const { invoke } = await import('../commands/invoke.ts');
      process.exitCode = await invoke(name, object, options, say);
    });
}
