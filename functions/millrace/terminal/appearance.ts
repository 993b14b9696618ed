/** How output looks. Meaning is never told by colour alone. */
export interface Appearance {
  readonly colour: boolean;
  /** Glyphs and lines beyond ASCII. */
  readonly utf8: boolean;
  /** Redrawn in place: only on a terminal that can. */
  readonly live: boolean;
}

export interface AppearanceOptions {
  readonly color: 'auto' | 'always' | 'never';
  readonly utf8: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags first, then the environment (NO_COLOR, FORCE_COLOR, locale), then what the stream is. */
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

/** no-color.org: any value but the empty one. FORCE_COLOR as supports-color reads it. */
function wantsColour(env: Environment, isTerminal: boolean): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  return forced === undefined ? isTerminal : forced !== '0' && forced !== 'false';
}

/** Only a locale that names another encoding tells that there is none. */
function localeHasUtf8(env: Environment): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => (value ?? '') !== '',
  );
  return locale === undefined || /utf-?8/i.test(locale);
}
