/** The page of the documentation about differences between the sandbox and an API server. */
import { listedDifferences, type ListedDifference } from './differences.ts';

/** Markdown of docs/sandbox-differences.md (`vitest run -u` writes it). */
export function differencesPage(): string {
  return [
    '# Where the sandbox differs from a real API server',
    '',
    'The same scripts are played against the sandbox and against kube-apiserver with',
    'kube-controller-manager (test/conformance), and whatever a client can see is compared: codes,',
    'headers, bodies, the events of watches, end states. This table is written from',
    'test/conformance/differences.ts; the suite fails for a difference that is not in it, and for one',
    'that is in it and no longer there.',
    '',
    '<!-- prettier-ignore -->',
    '| The sandbox | Why | Seen in |',
    '| --- | --- | --- |',
    ...listedDifferences.map(row),
    '',
  ].join('\n');
}

function row({ what, reason, scripts }: ListedDifference): string {
  const [first = '', ...others] = scripts;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `| ${cell(what)} | ${cell(reason)} | ${cell(first)}${more} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
