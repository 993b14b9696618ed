/** The progress of the example flows, and the output of `kubectl get` at the end. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Flow {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly state?: string;
    readonly progress?: string;
    readonly jobStatusList?: readonly { readonly name: string; readonly state: string }[];
  };
}

/** The standard output of kubectl. Throws when kubectl fails. */
export type Ask = (args: readonly string[], input?: string) => Promise<string>;

export const exampleFiles = [
  'jobtemplates.yaml',
  'jobflow-example.yaml',
  'jobflow-example-error.yaml',
  'jobflow-example-template.yaml',
] as const;

const expected: Readonly<Record<string, string>> = {
  'jobflow-example': 'Succeed',
  'jobflow-example-error': 'Failed',
  'jobflow-example-template': 'Succeed',
};

/** Prints a line whenever a flow's steps change, until every flow has ended or the time is up. */
export async function followToTheEnd(
  ask: Ask,
  step: (line: string) => void,
  deadlineMs: number,
): Promise<readonly Flow[]> {
  const shown = new Map<string, string>();
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const flows = await readFlows(ask);
    for (const flow of flows) {
      const line = describeFlow(flow);
      if (shown.get(flow.metadata.name) !== line) step(line);
      shown.set(flow.metadata.name, line);
    }
    const areOver = flows.length === Object.keys(expected).length && flows.every(isFinished);
    if (areOver || performance.now() > deadline) return flows;
    await sleep(250);
  }
}

async function readFlows(ask: Ask): Promise<readonly Flow[]> {
  const args = ['get', 'jobflows.api.practice.com', '-o', 'json'];
  return (JSON.parse(await ask(args)) as { items: Flow[] }).items;
}

function describeFlow({ metadata, status }: Flow): string {
  const steps = (status?.jobStatusList ?? []).map(({ name, state }) => `${name}=${state}`);
  const head = `${metadata.name.padEnd(24)} ${(status?.state ?? 'Pending').padEnd(9)}`;
  return `${head} ${(status?.progress ?? '').padEnd(4)} ${steps.join(' ')}`.trimEnd();
}

function isFinished({ status }: Flow): boolean {
  return status?.state === 'Succeed' || status?.state === 'Failed';
}

export async function printWhatKubectlSays(
  ask: Ask,
  resources: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  for (const resource of resources) {
    say(`\n$ kubectl get ${resource}`);
    say((await ask(['get', resource])).trimEnd());
  }
}

/** A line for each flow with an unexpected end. Empty: all ended as expected. */
export function wrongEnds(flows: readonly Flow[]): readonly string[] {
  const stateOf = new Map(flows.map((flow) => [flow.metadata.name, flow]));
  return Object.entries(expected).flatMap(([name, state]) => {
    const flow = stateOf.get(name);
    if (flow?.status?.state === state) return [];
    const found = flow === undefined ? `${name} is not there` : describeFlow(flow);
    return [`${found}: expected ${state}`];
  });
}
