import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { withExamples } from './usual-options.ts';
import { verbs } from './verbs.ts';

/** The command line with all its verbs. `name`: how it was called, `kubectl millrace` as a plugin of kubectl. */
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
    .showHelpAfterError('(see --help)')
    .showSuggestionAfterError()
    .helpCommand(false)
    .exitOverride();
  for (const [group, ...members] of verbs) {
    program.commandsGroup(group);
    for (const add of members) add(program);
  }
  return program;
}
