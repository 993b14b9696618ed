import { cpus, release, totalmem, type } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import { versions } from '../support/control-plane/versions.ts';
import type { Machine } from './result.ts';

/** The machine and software of a run. */
export function thisMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    node: process.version,
    kubernetes: versions.kubernetes,
    etcd: versions.etcd,
    millrace: packageJson.version,
  };
}
