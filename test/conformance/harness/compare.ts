/** Compares two transcripts of one script, place by place. */
import type { Json } from '#shared/domain/objects.ts';
import type { Transcript } from './transcript.ts';

export interface Difference {
  /** Step and place, as `#2 body.metadata.labels.a`; the first step is 1. */
  readonly at: string;
  /** The request of that step. */
  readonly asked: string;
  readonly real: Json | undefined;
  readonly sandbox: Json | undefined;
}

export function differences(real: Transcript, sandbox: Transcript): readonly Difference[] {
  const found: Difference[] = [];
  const steps = Math.max(real.length, sandbox.length);
  for (let index = 0; index < steps; index += 1) {
    const [here, there] = [real[index], sandbox[index]];
    const asked = here?.asked ?? there?.asked ?? '';
    collect(here, there, [], (path, a, b) =>
      found.push({ at: `#${index + 1} ${path}`, asked, real: a, sandbox: b }),
    );
  }
  return withoutConsequences(found);
}

/** The output of a failing test. */
export function describeDifferences(found: readonly Difference[]): string {
  const lines: string[] = [];
  let last = '';
  for (const { at, asked, real, sandbox } of found.slice(0, 40)) {
    const step = stepOf(at);
    if (step !== last) lines.push(`${step} ${asked}`);
    last = step;
    lines.push(`  ${at}`, `    real    ${shown(real)}`, `    sandbox ${shown(sandbox)}`);
  }
  if (found.length > 40) lines.push(`  and ${found.length - 40} more`);
  return lines.join('\n');
}

/** If the codes differ, only the messages of the bodies are worth printing. */
function withoutConsequences(found: readonly Difference[]): readonly Difference[] {
  const byCode = new Set(
    found.filter(({ at }) => at.endsWith(' code')).map(({ at }) => stepOf(at)),
  );
  return found.filter(
    ({ at }) => !byCode.has(stepOf(at)) || at.endsWith(' code') || at.endsWith(' body.message'),
  );
}

function stepOf(at: string): string {
  return at.slice(0, at.indexOf(' '));
}

function shown(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}...` : text;
}

type Report = (path: string, real: Json | undefined, sandbox: Json | undefined) => void;

function collect(
  real: Json | undefined,
  sandbox: Json | undefined,
  path: readonly string[],
  report: Report,
): void {
  if (real === sandbox) return;
  if (isContainer(real) && isContainer(sandbox) && Array.isArray(real) === Array.isArray(sandbox)) {
    const names = new Set([...Object.keys(real), ...Object.keys(sandbox)]);
    for (const name of names) collect(real[name], sandbox[name], [...path, name], report);
    return;
  }
  report(path.join('.'), real, sandbox);
}

type Container = Readonly<Record<string, Json | undefined>>;

function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}
