/** Prometheus and promtool, from their Go module. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lean } from '../control-plane/build.ts';
import { inCache } from '../control-plane/versions.ts';
import { goInstall, obtainPrograms } from '../go-programs.ts';
import { PartUnavailable } from '../part-unavailable.ts';
import { testExtent } from '../test-extent.ts';

const version = 'v0.316.0';
const folder = ['prometheus', version];
const names = ['prometheus', 'promtool'] as const;

export type PrometheusPrograms = Readonly<Record<(typeof names)[number], string>>;

/** The paths of both: from the cache folder, else built there once (some 2 minutes on two cores). */
export async function obtainPrometheus(
  progress: (line: string) => void,
): Promise<PrometheusPrograms> {
  const packages = names.map((name) => `github.com/prometheus/prometheus/cmd/${name}@${version}`);
  // Targets are static here, and cloud clients would be most of the compilation.
  const flags = ['-tags=remove_all_sd', ...lean()];
  const run = (output: string) => goInstall(output, { packages, flags });
  const path = await obtainPrograms(
    { of: 'Prometheus', folder, builds: [{ names, run }] },
    progress,
  );
  return { prometheus: join(path, 'prometheus'), promtool: join(path, 'promtool') };
}

/** As {@link obtainPrometheus}. Throws {@link PartUnavailable} if a quick run would have to build it. */
export async function obtainPrometheusUnlessQuick(
  progress: (line: string) => void,
): Promise<PrometheusPrograms> {
  const isBuilt = names.every((name) => existsSync(inCache(...folder, name)));
  if (!isBuilt && testExtent() === 'quick') {
    throw new PartUnavailable('Prometheus was not built yet; `npm run test:all` builds it once.');
  }
  return obtainPrometheus(progress);
}
