import { type Command, Option } from 'commander';
import type { DemoOptions } from '../commands/demo-options.ts';
import { positiveInteger } from '../option-values.ts';
import { withAppearance, withExamples } from '../usual-options.ts';

const ofCluster = { cluster: true };

export function addDemo(program: Command): void {
  withExamples(withAppearance(program.command('demo')), 'demo', 'demo --fail job2')
    .description(
      'apply an example and follow it: on a running `millrace up`, else on its own sandbox',
    )
    .argument(
      '[name]',
      'the example (default: jobflow-example; an unknown one lists them), or night: two nights under a policy, one hour per second',
    )
    .option('--fail <step>', 'let this step fail')
    .option('--cluster', 'run it on the current context of the kubeconfig')
    .addOption(
      new Option('--kubeconfig <file>', 'as --cluster, with this kubeconfig').implies(ofCluster),
    )
    .addOption(new Option('--context <name>', 'as --cluster, with this context').implies(ofCluster))
    .option('-n, --namespace <name>', 'namespace to create the flow in')
    .option('--timeout <seconds>', 'give up after this long', positiveInteger, 120)
    .action(async (name: string | undefined, options: DemoOptions) => {
      const { demo } = await import('../commands/demo.ts');
      process.exitCode = await demo(name, options);
    });
}
