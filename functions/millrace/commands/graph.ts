/** `millrace graph NAME` and `graph -f FILE`: draws the steps of a flow and their dependencies. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { validateJobFlow } from '#shared/api/validate.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { dotOf, mermaidOf } from '../graph/draw-text.ts';
import { type Drawable, graphOf, upToStep } from '../graph/flow-graph.ts';
import { requireManifests, requireValid } from '../manifests/manifests.ts';
import type { ReadOptions } from '../open-cluster.ts';
import { drawPlan, drawTree, summaryRows } from '../picture/draw-tree.ts';
import { FlowObserver } from '../picture/flow-picture.ts';
import { type AppearanceOptions, appearanceOf } from '../terminal/appearance.ts';
import { jsonLine } from '../terminal/json-line.ts';

export interface GraphOptions extends ReadOptions, AppearanceOptions {
  readonly file?: string;
  readonly watch?: boolean;
  readonly output: 'tree' | 'json' | 'mermaid' | 'dot' | 'svg';
}

/** Returns the exit code. Throws CommandFailure. */
export async function graph(
  what: string | undefined,
  options: GraphOptions,
  write: (text: string) => void,
): Promise<number> {
  const { file, output } = options;
  if ((what === undefined) === (file === undefined)) {
    const message = 'a name or --file is needed, and not both';
    throw new CommandFailure(exitCodes.usage, message, 'millrace graph NAME');
  }
  if (options.watch === true) {
    if (what === undefined || output !== 'tree') {
      const message = '--watch needs a name, and takes no --output';
      throw new CommandFailure(exitCodes.usage, message, 'millrace watch NAME');
    }
    const { watch } = await import('./watch.ts');
    const { namedObject } = await import('../named-object.ts');
    return watch(namedObject(what).resource === undefined ? `jobflow/${what}` : what, options);
  }
  const flows =
    file === undefined ? [await flowInCluster(what ?? '', options)] : await flowsIn(file);
  for (const flow of flows) write(await drawn(flow, output, options));
  return 0;
}

async function drawn(
  flow: Drawable,
  output: GraphOptions['output'],
  options: GraphOptions,
): Promise<string> {
  switch (output) {
    case 'json':
      return `${jsonLine(graphOf(flow))}\n`;
    case 'mermaid':
      return mermaidOf(graphOf(flow));
    case 'dot':
      return dotOf(graphOf(flow));
    case 'svg': {
      // Costs some 20 ms, so it is loaded only for SVG.
      const { svgOf } = await import('../graph/draw-svg.ts');
      return svgOf(graphOf(flow));
    }
    case 'tree':
      return treeOf(flow, options);
  }
}

function treeOf(flow: Drawable, options: GraphOptions): string {
  const nowMs = Date.now();
  const startedMs = parseTime(flow.status?.startTime) ?? nowMs;
  const observer = new FlowObserver({ startedMs, recorded: true });
  const appearance = appearanceOf(process.stdout, options, process.env);
  const picture = observer.picture(flow as JobFlow, [], nowMs);
  if (flow.status === undefined) {
    return `${drawPlan(picture.name, picture.steps, appearance).join('\n')}\n`;
  }
  const frame = { columns: Number.POSITIVE_INFINITY, rows: summaryRows };
  return `${drawTree(picture, nowMs, appearance, frame).join('\n')}\n`;
}

/** Access to a cluster costs 100 ms, so its modules are loaded only here. */
async function flowInCluster(what: string, options: GraphOptions): Promise<Drawable> {
  const [{ findOne }, { openCluster }, { picturedKinds }] = await Promise.all([
    import('../find-named.ts'),
    import('../open-cluster.ts'),
    import('../picture/pictured-kinds.ts'),
  ]);
  await using cluster = await openCluster(options, 'graph');
  const flows = picturedKinds.filter(({ resource }) => resource.kind === resources.JobFlow.kind);
  const { object, named } = await findOne(what, flows, cluster);
  const flow = object as JobFlow;
  return named.part === undefined ? flow : upToStep(flow, named.part);
}

async function flowsIn(file: string): Promise<readonly Drawable[]> {
  const flows = (await requireManifests([file])).filter(
    ({ value }) => fieldsOf(value)['kind'] === resources.JobFlow.kind,
  );
  if (flows.length === 0) {
    const message = `${file} holds no JobFlow`;
    throw new CommandFailure(exitCodes.invalidInput, message, 'name a file with one');
  }
  return flows.map((flow) => requireValid(flow, validateJobFlow));
}
