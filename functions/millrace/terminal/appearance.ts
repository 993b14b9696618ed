/** The look of output. Colour alone never carries a meaning. */
export interface Appearance {
  readonly colour: boolean;
  /** Symbols and lines beyond ASCII. */
  readonly utf8: boolean;
  /** Redraws in place, which needs a capable terminal. */
  readonly live: boolean;
}

export interface AppearanceOptions {
  readonly color: 'auto' | 'always' | 'never';
  readonly utf8: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags come first, then the environment (NO_COLOR, FORCE_COLOR, locale), then the kind of the stream. */
export function appearanceOf(
  stream: { readonly isTTY?: boolean },
  { color, utf8 }: AppearanceOptions,
  env: Environment,
): Appearance {
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    live: isTerminal,
    utf8: utf8 && localeHasUtf8(env),
    colour: color === 'auto' ? wantsColour(env, isTerminal) : color === 'always',
  };
}

/** no-color.org: any non-empty value. FORCE_COLOR as in supports-color. */
function wantsColour(env: Environment, isTerminal: boolean): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  return forced === undefined ? isTerminal : forced !== '0' && forced !== 'false';
}

/** UTF-8 is assumed unless the locale names another encoding. */
function localeHasUtf8(env: Environment): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => (value ?? '') !== '',
  );
  return locale === undefined || /utf-?8/i.test(locale);
}
