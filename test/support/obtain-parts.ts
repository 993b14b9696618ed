/** Obtains everything that the suites need and the packages lack, before a test waits for it. */
import { downloadKnative } from '#test/real/cluster/knative-programs.ts';
import { downloadServing } from '#test/real/cluster/knative-serving.ts';
import { obtainParts as obtainRealParts } from '#test/real/cluster/parts.ts';
import { obtainBinaries } from './control-plane/binaries.ts';
import { requireGo } from './control-plane/build.ts';
import { downloadTypes } from './go-protobuf-tags.ts';
import { obtainHelm } from './helm.ts';
import { downloadKueue, obtainKueue } from './kueue/program.ts';
import { PartUnavailable } from './part-unavailable.ts';
import { obtainPrometheus } from './prometheus/program.ts';
import { obtainRedisServer } from './redis-binary.ts';

type Progress = (line: string) => void;

export async function obtainRedis(progress: Progress): Promise<void> {
  const external = process.env['REDIS_URL'] ?? '';
  if (external === '') await orWithout(progress, () => obtainRedisServer(progress));
}

/** For all suites: some 30 minutes on two cores for the first build. */
export async function obtainEverything(progress: Progress): Promise<void> {
  await obtainRedis(progress);
  // In two lanes, if a node with containers is possible.
  await orWithout(progress, () => obtainRealParts(progress));
  await orWithout(progress, () => obtainBinaries(progress));
  await orWithout(progress, () => obtainKueue(progress));
  await orWithout(progress, () => obtainHelm(progress));
  await orWithout(progress, () => obtainPrometheus(progress));
  await orWithout(progress, () => downloadModules(progress));
}

/** Sources with manifests, charts and types for suites; the programs may be built already. */
async function downloadModules(progress: Progress): Promise<void> {
  await requireGo();
  progress('Go modules: downloading what suites read');
  await downloadTypes();
  await downloadServing();
  await downloadKnative('eventing');
  await downloadKueue();
}

/** A failure here is repeated, or the suite skipped, where the part is needed. */
async function orWithout(progress: Progress, obtain: () => Promise<unknown>): Promise<void> {
  try {
    await obtain();
  } catch (error) {
    if (error instanceof PartUnavailable) return;
    progress(error instanceof Error ? error.message : String(error));
  }
}
