import { type Command, Option } from 'commander';
import type { GraphOptions } from '../commands/graph.ts';
import { readingCluster, withAppearance, withExamples } from '../usual-options.ts';

const outputs = ['tree', 'json', 'mermaid', 'dot', 'svg'] as const;

interface TypedOptions extends GraphOptions {
  readonly format?: GraphOptions['output'];
}

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
        .choices(outputs)
        .default('tree'),
    )
    .addOption(new Option('--format <format>', 'as -o').choices(outputs).conflicts('output'))
    .action(async (name: string | undefined, { format, ...options }: TypedOptions) => {
      const { graph } = await import('../commands/graph.ts');
      const meant = { ...options, output: format ?? options.output };
      process.exitCode = await graph(name, meant, (text) => void process.stdout.write(text));
    });
}
