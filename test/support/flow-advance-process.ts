/** flow-advance as a process, with a loopback API server without objects. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMain, type ChildMain } from '#shared/runtime/testing/child-main.ts';
import { LoopbackApiServer } from './loopback-api-server.ts';
import { kubeconfigFor } from './loopback-kubeconfig.ts';

export interface FlowAdvanceProcess {
  readonly url: string;
  readonly api: LoopbackApiServer;
  readonly child: ChildMain;
  /** The value of a line in `/metrics`, or 0 if it is missing. */
  metric(line: string): Promise<number>;
  stop(): Promise<void>;
}

const main = join(import.meta.dirname, '../../functions/flow-advance/main.ts');

/** On a free loopback port; `env` adds settings. */
export async function startFlowAdvance(
  env: Readonly<Record<string, string>> = {},
): Promise<FlowAdvanceProcess> {
  const api = await LoopbackApiServer.start();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-flow-advance-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, kubeconfigFor(api.url));
  const child = startMain(main, {
    // No webhook records the submitter here.
    ...{ KUBECONFIG: kubeconfig, PORT: '0', MILLRACE_TRUST_NAMESPACES: 'true' },
    ...env,
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exit;
    await api.close();
    await rm(folder, { recursive: true });
  };
  try {
    const url = await child.url;
    return { url, api, child, metric: (line) => metricOf(url, line), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function metricOf(url: string, line: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? 0);
}
