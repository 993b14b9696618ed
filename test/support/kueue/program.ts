/** Kueue's manager and manifests, from its Go module. */
import { join } from 'node:path';
import { downloadModule, go, lean } from '../control-plane/build.ts';
import { obtainPrograms } from '../go-programs.ts';

export const kueueVersion = 'v0.19.2';

/** The folder of its sources, with its chart, definitions and webhooks. */
export function downloadKueue(): Promise<string> {
  return downloadModule('sigs.k8s.io/kueue', kueueVersion);
}

/** The path of its manager: from the cache folder, else built there once (some 3 minutes on two cores). */
export async function obtainKueue(progress: (line: string) => void): Promise<string> {
  const build = ['build', '-mod=readonly', ...lean()];
  const run = async (output: string) =>
    go(await downloadKueue(), [...build, '-o', join(output, 'manager'), './cmd/kueue']);
  const builds = [{ names: ['manager'], run }];
  const folder = ['kueue', kueueVersion];
  return join(await obtainPrograms({ of: 'kueue', folder, builds }, progress), 'manager');
}
