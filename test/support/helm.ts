import { join } from 'node:path';
import { lean } from './control-plane/build.ts';
import { goInstall, obtainPrograms } from './go-programs.ts';

const version = 'v3.19.2';

/** The path of helm: from the cache folder, else built there once from its Go module (about 2 minutes). */
export async function obtainHelm(progress: (line: string) => void): Promise<string> {
  const packages = [`helm.sh/helm/v3/cmd/helm@${version}`];
  const run = (output: string) => goInstall(output, { packages, flags: lean() });
  const helm = { of: 'helm', folder: ['helm', version], builds: [{ names: ['helm'], run }] };
  return join(await obtainPrograms(helm, progress), 'helm');
}
