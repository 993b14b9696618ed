/** Findings as text, as JSON lines, as GitHub annotations, and as SARIF 2.1.0. Pure. */
import { jsonLine } from '../terminal/json-line.ts';
import type { LintFinding } from './lint-manifests.ts';

export type LintFormat = 'text' | 'json' | 'github' | 'sarif';

/** The lines to print. `version` is that of Millrace. */
export function formatted(
  findings: readonly LintFinding[],
  format: LintFormat,
  version: string,
): readonly string[] {
  if (format === 'json') return findings.map(jsonLine);
  if (format === 'github') return findings.map(annotation);
  if (format === 'sarif') return [jsonLine(sarif(findings, version))];
  return findings.map(
    (finding) =>
      `${finding.file}:${finding.line}:${finding.column}: ${finding.severity}: ${wordsOf(finding)}`,
  );
}

function wordsOf({ object, path, message }: LintFinding): string {
  const words = path === '' || message.includes(path) ? message : `${path}: ${message}`;
  return object === '' ? words : `${object}: ${words}`;
}

/** docs.github.com, workflow commands: the escapes of messages and of properties. */
function annotation(finding: LintFinding): string {
  const escape = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string =>
    escape(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const { file, line, column, severity } = finding;
  return `::${severity} file=${property(file)},line=${line},col=${column}::${escape(wordsOf(finding))}`;
}

/** OASIS SARIF 2.1.0, which code scanning reads. */
function sarif(findings: readonly LintFinding[], version: string): unknown {
  const rules = (['error', 'warning'] as const).map((level) => ({
    id: `manifest-${level}`,
    shortDescription: {
      text:
        level === 'error'
          ? 'The API server or admission refuses this manifest'
          : 'Admission warns about this manifest',
    },
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'millrace lint', version, rules } },
        results: findings.map((finding) => ({
          ruleId: `manifest-${finding.severity}`,
          level: finding.severity,
          message: { text: wordsOf(finding) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: finding.file },
                region: { startLine: finding.line, startColumn: finding.column },
              },
            },
          ],
        })),
      },
    ],
  };
}
