import { Command, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { exitCodes, exitMeanings, type ExitWord } from './command-failure.ts';
import { withExamples } from './usual-options.ts';
import { verbs } from './verbs.ts';

/** The command line with all its verbs. `name` is how it was called, such as `kubectl millrace`. */
export function createProgram(name: string): Command {
  const program = withExamples(
    new Command(name),
    'up',
    'demo',
    'crds | kubectl apply --server-side -f -',
    'run --kubeconfig ~/.kube/config --redis redis://127.0.0.1:6379',
  )
    .description('Event-driven batch controller for Kubernetes.')
    .version(packageJson.version)
    // report-failure.ts prints it, with the next command.
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError()
    .helpCommand(false)
    .addHelpText('after', exitTable)
    .exitOverride();
  for (const [group, ...members] of verbs) {
    program.commandsGroup(group);
    for (const add of members) add(program);
  }
  withJson(program);
  return program;
}

/** `--json` is `-o json` for every verb that has it. */
function withJson(command: Command): void {
  const hasJson = command.options.some(
    (option) => option.attributeName() === 'output' && option.argChoices?.includes('json') === true,
  );
  if (hasJson) command.addOption(new Option('--json', 'as -o json').implies({ output: 'json' }));
  command.commands.forEach(withJson);
}

function exitTable(): string {
  const lines = Object.entries(exitCodes).map(
    ([word, code]) => `  ${`${code}`.padEnd(3)}  ${exitMeanings[word as ExitWord]}`,
  );
  return ['', 'Exit codes:', '  0    success', ...lines].join('\n');
}
