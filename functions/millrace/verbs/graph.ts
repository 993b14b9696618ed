import { type Command, Option } from 'commander';
import type { GraphOptions } from '../commands/graph.ts';
import { readingCluster, withAppearance, withExamples } from '../usual-options.ts';

export function addGraph(program: Command): void {
  withExamples(
    withAppearance(readingCluster(program.command('graph'))),
    'graph hello',
    'graph -f flow.yaml -o mermaid',
    'graph hello -o svg > hello.svg',
  )
    .description('draw the steps of a flow and what each waits for')
    .argument('[name]', 'NAME of a flow of the cluster')
    .option('-f, --file <file>', 'the flows of this manifest instead; - for standard input')
    .option('-w, --watch', 'as `watch`')
    .addOption(
      new Option('-o, --output <format>', 'how it is drawn; json: a line for each flow')
        .choices(['tree', 'json', 'mermaid', 'dot', 'svg'])
        .default('tree'),
    )
    .action(async (name: string | undefined, options: GraphOptions) => {
      const { graph } = await import('../commands/graph.ts');
      process.exitCode = await graph(name, options, (text) => void process.stdout.write(text));
    });
}
