import { describe, expect, test } from 'vitest';
import { appearanceOf } from './appearance.ts';

const auto = { color: 'auto', utf8: true } as const;
const terminal = { isTTY: true };
const pipe = {};

describe('colour', () => {
  test.each([
    ['on a terminal', terminal, auto, {}, true],
    ['not in a pipe', pipe, auto, {}, false],
    ['not on a terminal that is dumb', terminal, auto, { TERM: 'dumb' }, false],
    ['not with NO_COLOR', terminal, auto, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR, which says nothing', terminal, auto, { NO_COLOR: '' }, true],
    ['in a pipe with FORCE_COLOR', pipe, auto, { FORCE_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', terminal, auto, { FORCE_COLOR: '0' }, false],
    [
      'with --color always over NO_COLOR',
      pipe,
      { ...auto, color: 'always' as const },
      { NO_COLOR: '1' },
      true,
    ],
    ['not with --color never', terminal, { ...auto, color: 'never' as const }, {}, false],
  ])('%s', (_rule, stream, options, env: Record<string, string>, expected) => {
    expect(appearanceOf(stream, options, env).colour).toBe(expected);
  });
});

describe('UTF-8', () => {
  test.each([
    ['where no locale is set', {}, true],
    ['where the locale says so', { LANG: 'de_DE.UTF-8' }, true],
    ['not where the locale is another one', { LANG: 'C' }, false],
    ['by LC_ALL before LANG', { LC_ALL: 'C', LANG: 'en_US.utf8' }, false],
  ])('%s', (_rule, env: Record<string, string>, expected) => {
    expect(appearanceOf(terminal, auto, env).utf8).toBe(expected);
  });

  test('never with --no-utf8', () => {
    expect(appearanceOf(terminal, { ...auto, utf8: false }, { LANG: 'en_US.UTF-8' }).utf8).toBe(
      false,
    );
  });
});

test('redraws only on a terminal that can', () => {
  expect(appearanceOf(terminal, auto, {}).live).toBe(true);
  expect(appearanceOf(pipe, { ...auto, color: 'always' }, {}).live).toBe(false);
});
