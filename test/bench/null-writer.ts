import { resources } from '#shared/domain/resources.ts';
import { completeJob } from './completer.ts';
import { plainJob } from './flow-shapes.ts';
import { cpuMs } from './process-usage.ts';
import { type Site, nullNamespace } from './site.ts';

export interface NullWriterRun {
  readonly stepsPerSecond: number;
  readonly apiServerCpuMsPerStep: number;
}

const inFlight = 8;

/** Posts Jobs and patches their status, eight at once: the cost of a step without any decision. */
export async function nullWriter(
  { client, cluster }: Site,
  prefix: string,
  count: number,
): Promise<NullWriterRun> {
  const apiServer = cluster.pidOf('kube-apiserver') ?? 0;
  const cpuBefore = cpuMs(apiServer);
  const started = performance.now();
  let next = 0;
  const write = async () => {
    for (let index = next++; index < count; index = next++) {
      const job = plainJob(nullNamespace, `${prefix}-${index}`);
      await completeJob(client, await client.create(resources.Job, job));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, write));
  return {
    stepsPerSecond: (count * 1000) / (performance.now() - started),
    apiServerCpuMsPerStep: (cpuMs(apiServer) - cpuBefore) / count,
  };
}
