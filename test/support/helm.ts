import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { go, intoFolder, lean, requireGo, withProgress } from './control-plane/build.ts';
import { withBuildLock } from './control-plane/build-lock.ts';

const version = 'v3.19.2';

/** The path of helm: from the cache folder, else built there once from its Go module (about 2 minutes). */
export async function obtainHelm(progress: (line: string) => void): Promise<string> {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(base, 'millrace', 'helm', version);
  const path = join(folder, 'helm');
  if (existsSync(path)) return path;
  await requireGo();
  await withBuildLock(folder, progress, async () => {
    if (existsSync(path)) return;
    await withProgress('helm', progress, () =>
      intoFolder(folder, ['helm'], (GOBIN) =>
        go(tmpdir(), ['install', ...lean(), `helm.sh/helm/v3/cmd/helm@${version}`], { GOBIN }),
      ),
    );
  });
  return path;
}
