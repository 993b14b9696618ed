/** `millrace lint FILE...`: judges manifests without a cluster. */
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { counted, listed } from '#shared/domain/wording.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { formatted, type LintFormat } from '../lint/formats.ts';
import { lintManifests } from '../lint/lint-manifests.ts';
import { standardInput } from '../manifests/sources.ts';
import { type ReadManifests, readManifests } from '../manifests/manifests.ts';

export interface LintOptions {
  readonly output: LintFormat;
  readonly policy?: PodPolicy;
  readonly strict?: boolean;
}

/** Returns the exit code: 9 for errors, with `strict` also for warnings. Throws CommandFailure. */
export async function lint(
  paths: readonly string[],
  { output, policy = defaultPolicy, strict = false }: LintOptions,
  say: (line: string) => void,
): Promise<number> {
  const read = await readManifests(paths);
  const { findings, judged, skipped } = lintManifests(read, policy);
  for (const line of formatted(findings, output, packageJson.version)) say(line);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  if (judged === 0 && errors === 0) {
    throw nothingJudged(paths, read, skipped);
  }
  const left = skipped.length === 0 ? '' : `, ${skipped.length} of other kinds not judged`;
  process.stderr.write(
    `${counted(judged, 'object')} judged: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}${left}\n`,
  );
  return errors > 0 || (strict && warnings > 0) ? exitCodes.findings : 0;
}

function nothingJudged(
  paths: readonly string[],
  { files }: ReadManifests,
  skipped: readonly string[],
): CommandFailure {
  const where = paths.map((path) => (path === '-' ? standardInput : path)).join(', ');
  const nothing = files.length === 0 ? 'no .yaml, .yml or .json file' : 'only empty documents';
  const instead = skipped.length === 0 ? nothing : listed(skipped, 3);
  return new CommandFailure(
    exitCodes.invalidInput,
    `no object that lint judges is in ${where}; found ${instead}`,
    'name files with JobFlows, JobTemplates, DaemonJobs, SuspendPolicies or AppWrappers',
  );
}
