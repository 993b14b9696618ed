import { describe, expect, it } from 'vitest';
import { readScript } from './container-script.ts';

const read = (argv: readonly string[], env: Record<string, string> = {}) =>
  readScript(argv, new Map(Object.entries(env)));
const sh = (script: string, env: Record<string, string> = {}) => read(['sh', '-c', script], env);
const printed = (script: string, env: Record<string, string> = {}) =>
  sh(script, env)
    ?.output.map(({ text }) => text)
    .join('');

describe('how long a command runs', () => {
  it.each([
    [['sleep', '5'], 5_000],
    [['sleep', '10s'], 10_000],
    [['/bin/sleep', '0.25'], 250],
    [['sleep', '1m', '2s'], 62_000],
    [['sleep', 'infinity'], Infinity],
    [['sh', '-c', 'sleep 100s'], 100_000],
    [['/bin/sh', '-ec', 'echo a; sleep 2; exit 3'], 2_000],
    [['bash', '-e', '-c', 'echo x && sleep 1'], 1_000],
    [['sh', '-c', 'set -ex\nsleep 1\nsleep 2'], 3_000],
    [['sh', '-c', 'date; python train.py --epochs 3; sleep 4'], 4_000],
    [['sh', '-c', 'false && sleep 9; sleep 1'], 1_000],
    [['sh', '-c', 'false || sleep 9'], 9_000],
    [['sh', '-c', 'exit 0; sleep 9'], 0],
    [['sh', '-c', 'sleep 1 # sleep 9'], 1_000],
  ])('%j is read as %s ms', (argv, ms) => {
    expect(read(argv)?.runMs).toBe(ms);
  });

  it.each([[['sh', '-c', 'echo hello']], [['true']], [['sh', '-c', 'python train.py']]])(
    '%j does not say',
    (argv) => {
      expect(read(argv)).toMatchObject({ runMs: undefined });
    },
  );

  it.each([
    [[]],
    [['nginx', '-g', 'daemon off;']],
    [['sh', '/scripts/run.sh']],
    [['sh', '-c', 'for i in 1 2; do sleep 1; done']],
    [['sh', '-c', 'sleep 1 & wait']],
    [['sh', '-c', 'echo $(date); sleep 3']],
    [['sh', '-c', 'cat file | grep x']],
  ])('%j is no plain command', (argv) => {
    expect(read(argv)).toBeUndefined();
  });
});

describe('what a command exits with', () => {
  it.each([
    ['exit 3', 3],
    ['sleep 2; exit 3', 3],
    ['exit 256', 0],
    ['false', 1],
    ['false; true', 0],
    ['false; exit', 1],
    ['true && exit 4 || exit 5', 4],
    ['false && exit 4 || exit 5', 5],
    ['set -e; false; exit 0', 1],
    ['set -e; false || true; exit 0', 0],
    ['sleep nonsense', 1],
  ])('%j: %i', (script, code) => {
    expect(sh(script)?.exitCode).toBe(code);
  });
});

describe('what a command prints', () => {
  it.each([
    ['echo hello world', 'hello world\n'],
    ['echo "a  b"  c', 'a  b c\n'],
    [`echo 'single $X' && echo "double $X \${X}" $X`, 'single $X\ndouble 1 1 1\n'],
    ['echo -n a; echo b', 'ab\n'],
    ['echo -e "a\\nb"', 'a\nb\n'],
    ['echo to a file > /data/file; echo shown >&2', 'shown\n'],
    ['Y=2; echo $Y', '2\n'],
    ['export Z=3 && echo "$Z$X"', '31\n'],
    ['echo \\"quoted\\"', '"quoted"\n'],
    ['false && echo no', ''],
  ])('%j', (script, output) => {
    expect(printed(script, { X: '1' })).toBe(output);
  });

  it('appears when the sleeps before it are over', () => {
    expect(sh('echo a; sleep 2; echo b')?.output).toEqual([
      { atMs: 0, text: 'a\n' },
      { atMs: 2_000, text: 'b\n' },
    ]);
  });
});
