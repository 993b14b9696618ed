import packageJson from '../../../package.json' with { type: 'json' };
import type { Appearance } from '../terminal/appearance.ts';
import { type Piece, renderLine } from '../terminal/line.ts';

export interface Part {
  readonly name: string;
  readonly place: 'embedded' | 'external';
  /** Its address, or what it holds. */
  readonly where: string;
}

export interface BannerFacts {
  readonly parts: readonly Part[];
  readonly kubeconfig: string;
  readonly hasKubectl: boolean;
  /** Milliseconds from the start of the process to this moment. */
  readonly startedInMs: number;
}

/** What `up` says once: its parts, how to reach them, what to try. Pure. */
export function bannerOf(facts: BannerFacts, appearance: Appearance): string {
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
    [exportLine(kubeconfig)],
    [],
    ...tryNext(facts),
  ];
  return lines.map((pieces) => `${renderLine(pieces, appearance)}\n`).join('');
}

/** As a POSIX shell takes it. */
export function exportLine(kubeconfig: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(kubeconfig);
  return `export KUBECONFIG=${isPlain ? kubeconfig : `'${kubeconfig.replaceAll("'", String.raw`'\''`)}'`}`;
}

function tryNext({ hasKubectl }: BannerFacts): readonly (readonly Piece[])[] {
  const commands = hasKubectl
    ? ['npx millrace demo', 'kubectl get nodes,mjf', 'kubectl explain jobflow.spec.flows']
    : [
        'npx millrace demo',
        'npx millrace demo --fail job2',
        'npx millrace demo jobflow-example-template',
      ];
  const missing: readonly Piece[][] = hasKubectl
    ? []
    : [['kubectl is not on the PATH: the verbs of millrace suffice, kubectl can come later']];
  return [...missing, ['try next:'], ...commands.map((command): Piece[] => [`  ${command}`])];
}
