import packageJson from '../../../package.json' with { type: 'json' };
import type { Appearance } from '../terminal/appearance.ts';
import { type Piece, renderLine, wrapLine } from '../terminal/line.ts';
import { shellWord } from '../terminal/shell-word.ts';

export interface Part {
  readonly name: string;
  readonly place: 'embedded' | 'external';
  /** Its address or its content. */
  readonly where: string;
}

export interface BannerFacts {
  readonly parts: readonly Part[];
  readonly kubeconfig: string;
  readonly hasKubectl: boolean;
  /** Milliseconds from the start of the process until now. */
  readonly startedInMs: number;
}

/**
 * The text that `up` prints at its start: its parts, their addresses, what to try. Pure. Only lines to copy may be
 * wider than `columns`.
 */
export function bannerOf(facts: BannerFacts, appearance: Appearance, columns = 80): string {
  const { parts, kubeconfig, startedInMs } = facts;
  const width = Math.max(...parts.map(({ name }) => name.length));
  const tick: Piece = [appearance.utf8 ? '✔' : '+', 'green'];
  const lines: readonly (readonly Piece[])[] = [
    [
      ['millrace', 'bold'],
      ` ${packageJson.version} is up after ${(startedInMs / 1000).toFixed(1)}s`,
    ],
    [],
    ...parts.map(({ name, place, where }): readonly Piece[] => [
      '  ',
      tick,
      ` ${name.padEnd(width)}  `,
      [place.padEnd('embedded'.length), 'dim'],
      `  ${where}`,
    ]),
    [],
    ['in a second terminal:'],
    [`  ${exportLine(kubeconfig)}`],
    ...tryNext(facts),
    [],
    ['Ctrl-C ends it'],
  ];
  const indent = ' '.repeat('  + '.length + width + '  embedded  '.length);
  return lines
    .flatMap((pieces) => wrapLine(pieces, columns, indent))
    .map((pieces) => `${renderLine(pieces, appearance)}\n`)
    .join('');
}

/** For a POSIX shell. */
export function exportLine(kubeconfig: string): string {
  return `export KUBECONFIG=${shellWord(kubeconfig)}`;
}

function tryNext({ hasKubectl }: BannerFacts): readonly (readonly Piece[])[] {
  const commands = hasKubectl
    ? [
        'npx millrace demo',
        'kubectl apply -f deploy/examples/hello.yaml',
        'kubectl get mjf -w',
        'kubectl explain jobflow.spec.flows',
      ]
    : [
        'npx millrace demo',
        'npx millrace demo --fail job2',
        'npx millrace demo jobflow-example-template',
      ];
  const missing: readonly Piece[][] = hasKubectl
    ? []
    : [['  (kubectl is not on the PATH; the commands of millrace are enough to start)']];
  return [...commands.map((command): Piece[] => [`  ${command}`]), ...missing];
}
