/** Certificate and key as kubelets mount them: files behind a link to the current folder. */
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';

/** Texts are PEM. */
type PemPair = ReturnType<typeof createOwnCertificate>;

export interface CertificateFolder extends AsyncDisposable {
  readonly certFile: string;
  readonly keyFile: string;
  /** As the kubelet's atomic writer does: a new folder, then another link over the old one. */
  swap(pair: PemPair): Promise<void>;
  /** As other writers do: each file is written aside and renamed over the old one. */
  renameOver(pair: Partial<PemPair>): Promise<void>;
}

/** For loopback; valid from an hour before `nowMs` for a year. */
export function newPair(nowMs = Date.now()): PemPair {
  return createOwnCertificate(nowMs);
}

export async function certificateFolder(pair: PemPair): Promise<CertificateFolder> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-certificate-'));
  const [certFile, keyFile] = [join(root, 'tls.crt'), join(root, 'tls.key')];
  let version = 0;
  const swap = async ({ cert, key }: PemPair): Promise<void> => {
    version += 1;
    const data = `..data-${version}`;
    await mkdir(join(root, data));
    await writeFile(join(root, data, 'tls.crt'), cert);
    await writeFile(join(root, data, 'tls.key'), key);
    await symlink(data, join(root, '..data_tmp'));
    await rename(join(root, '..data_tmp'), join(root, '..data'));
  };
  await swap(pair);
  await symlink(join('..data', 'tls.crt'), certFile);
  await symlink(join('..data', 'tls.key'), keyFile);
  const put = async (file: string, text: string): Promise<void> => {
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  };
  return {
    ...{ certFile, keyFile, swap },
    renameOver: async ({ cert, key }) => {
      if (cert !== undefined) await put(certFile, cert);
      if (key !== undefined) await put(keyFile, key);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
