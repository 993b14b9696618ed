/** Manifests in the forms for Helm and kustomize. */
import { archiveOf } from '../build/archive.ts';

/** By path from the root of the repository. */
type Files = ReadonlyMap<string, string>;

/** The result of `helm package`, without its time stamps. */
export function chartPackage(generated: Files): Promise<Uint8Array> {
  return archived(generated, /^deploy\/chart\//, 'millrace/');
}

/** All folders of manifests below `millrace/`, arranged as in the repository. */
export function kustomizeArchive(generated: Files): Promise<Uint8Array> {
  const folders = /^(?=deploy\/(base|components|crds|overlays|policies|rbac|redis)\/|knative\/)/;
  return archived(generated, folders, 'millrace/');
}

async function archived(files: Files, from: RegExp, to: string): Promise<Uint8Array> {
  const chosen = [...files].filter(([path]) => from.test(path));
  const renamed = chosen.map(([path, content]) => ({ path: path.replace(from, to), content }));
  return (await archiveOf(renamed)).content;
}
