import type { DaemonJob } from '#shared/api/daemon-job.ts';
import {
  daemonJobRuleFaults,
  daemonJobTemplateFaults,
  daemonJobUniquenessFaults,
} from '#shared/api/daemon-job-rules.ts';
import { isDns1123Label } from '#shared/domain/names.ts';
import { shapeFault } from '#shared/render/template-fault.ts';

/** Why a DaemonJob cannot be started. Undefined: it can. */
export function invalidSpec({ metadata, spec }: DaemonJob): string | undefined {
  if (!isDns1123Label(metadata.name)) return `"${metadata.name}" is not a DNS-1123 label`;
  const shape = shapeFault(spec);
  if (shape !== undefined) return shape;
  const [fault] = [
    ...daemonJobUniquenessFaults(spec),
    ...daemonJobRuleFaults(spec),
    ...daemonJobTemplateFaults(spec),
  ];
  return fault === undefined ? undefined : `${fault.path}: ${fault.message}`;
}
