/**
 * Finds what comments, test names and messages cite by number, and which of it is not defined.
 *
 * A citation is "law 3", "rules 5 to 8 and 14", "scenario 20", a code of the page of rules, as `I5` is, or
 * the word of a file with a number, as `queue-5` is. The head comment of that file defines the number.
 */

/** Path from the root of the repository to text. */
export type Sources = ReadonlyMap<string, string>;

export interface Citation {
  readonly file: string;
  readonly line: number;
  /** `law 3`, `rule 14`, `scenario 20` or a code. */
  readonly name: string;
}

export interface RulesPage {
  /** Codes, laws, rules and scenarios that the page itself defines. */
  readonly entries: ReadonlySet<string>;
  /** Rows that repeat which codes a file defines. */
  readonly rows: readonly CodesOfFile[];
}

/** A word and the codes that one file defines with it, in its order. */
export interface CodesOfFile {
  readonly file: string;
  readonly codes: readonly string[];
}

export function rulesPage(markdown: string): RulesPage {
  const entries = [
    ...markdown.matchAll(/^(?:- \*\*|\| )((?:Law|Rule|Scenario) \d+|[A-Z]+\d+|[a-z-]+-\d+)\b/gm),
  ].map(([, name = '']) => (name.includes(' ') ? name.toLowerCase() : name));
  const rows = [
    ...markdown.matchAll(/^\| ([a-z-]+)-(\d+)(?: to [a-z-]+-(\d+))? *\| \[([^\]]+\.ts)\]/gm),
  ].map(([, word = '', from = '', to = from, file = '']) => {
    const codes = numbersIn(`${from} to ${to}`).map((number) => `${word}-${number}`);
    return { file, codes };
  });
  const ofRows = new Set(rows.flatMap(({ codes }) => codes));
  return { entries: new Set(entries.filter((name) => !ofRows.has(name))), rows };
}

/** The gap between two words of a sentence, which may continue in the next line of a comment. */
const gap = String.raw`(?: |\s*\n\s*(?:\*|//)? ?)`;
const more = (item: string) => `(?:(?:,${gap}and|,|${gap}and|${gap}to)${gap}${item})*`;
const numbered = new RegExp(
  String.raw`\b(law|rule|scenario)s?${gap}(\d+${more(String.raw`\d+\b(?! ?(?:ms|s)\b)`)})`,
  'gi',
);
/** Codes of the page: `I5`. */
const letterCodes = /(?<![\w%:/#.\\-])[A-Z]{1,2}\d{1,2}(?![\w%/\\-]|\.\w|:\d)/g;
/** Names of things that only look like codes. */
const noCodes: ReadonlySet<string> = new Set(['V8', 'RE2', 'PS1']);
/** `queue-5`. Names of objects have this form too, so only words of files count. */
const wordCodes = /(?<![\w./#:$-])([a-z]+(?:-[a-z]+)*)-\d{1,2}(?![\w-]|\.\w|:\d)/g;
/** Only codes have this form in parentheses. */
const inParentheses = /\((?:[a-z]+(?:-[a-z]+)*-\d{1,2}(?:, | and | to |(?=\))))+\)/g;

export function citationsOf(
  file: string,
  text: string,
  words: ReadonlySet<string>,
): readonly Citation[] {
  const at = (index: number, name: string): Citation => {
    return { file, line: text.slice(0, index).split('\n').length, name };
  };
  const ofNumbers = [...text.matchAll(numbered)].flatMap(({ 1: word = '', 2: list = '', index }) =>
    numbersIn(list).map((number) => at(index, `${word.toLowerCase()} ${number}`)),
  );
  const ofLetters = [...text.matchAll(letterCodes)]
    .filter(([name]) => !noCodes.has(name))
    .map(({ 0: name, index }) => at(index, name));
  const parentheses = [...text.matchAll(inParentheses)];
  const isParenthesized = (place: number) =>
    parentheses.some(({ 0: inside, index }) => index < place && place < index + inside.length);
  const ofWords = [...text.matchAll(wordCodes)]
    .filter(({ 1: word = '', index }) => words.has(word) || isParenthesized(index))
    .map(({ 0: name, index }) => at(index, name));
  return [...ofNumbers, ...ofLetters, ...ofWords];
}

/** A span stands for all numbers in it. */
function numbersIn(list: string): readonly number[] {
  return [...list.matchAll(/(\d+)(?:\W+to\W+(\d+))?/g)].flatMap(([, from = '', to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
  );
}

/** Documents outside of this repository, which its readers do not have. */
const outside =
  /\bfacts(?:: JobFlow| \d| [A-Z]\d| section)|\bdesign section \d|\bdecision [A-D]\b/gi;

/** One line for each citation that is not defined: `file:line: what`. */
export function unresolved(sources: Sources, page: RulesPage): readonly string[] {
  const defined = new Set([...page.entries, ...definitions(sources).flatMap(({ codes }) => codes)]);
  const words = wordsOf(defined);
  return [...sources].flatMap(([file, text]) => {
    const missing = citationsOf(file, text, words).filter(({ name }) => !defined.has(name));
    return [
      ...missing.map(({ line, name }) => `${file}:${line}: "${name}" is defined nowhere`),
      ...[...text.matchAll(outside)].map(
        ({ 0: cited, index }) =>
          `${file}:${text.slice(0, index).split('\n').length}: "${cited}" is not in this repository`,
      ),
    ];
  });
}

/** One line for each code that is defined twice, and each word that two files use. */
export function ambiguous(sources: Sources, page: RulesPage): readonly string[] {
  const places = new Map<string, string[]>();
  const add = (name: string, place: string) =>
    places.set(name, [...(places.get(name) ?? []), place]);
  for (const name of page.entries) add(name, 'the page of rules');
  for (const { file, codes } of definitions(sources)) {
    for (const code of codes) add(code, file);
    for (const word of wordsOf(codes)) add(`${word}-*`, file);
  }
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `"${name}" is defined in ${found.join(' and ')}`);
}

/** One line for each row of the page that differs from the head comment of its file. */
export function differingRows(sources: Sources, page: RulesPage): readonly string[] {
  return page.rows
    .filter(({ file, codes }) => definedIn(sources.get(file) ?? '').join() !== codes.join())
    .map(({ file, codes }) => `${file} does not define ${codes.join(', ')}`);
}

/** Entries of the page without a citation. */
export function uncited(sources: Sources, page: RulesPage): readonly string[] {
  const words = wordsOf(page.entries);
  const cited = new Set(
    [...sources].flatMap(([file, text]) => citationsOf(file, text, words).map(({ name }) => name)),
  );
  return [...page.entries].filter((name) => !cited.has(name));
}

export function definitions(sources: Sources): readonly CodesOfFile[] {
  return [...sources]
    .map(([file, text]) => ({ file, codes: definedIn(text) }))
    .filter(({ codes }) => codes.length > 0);
}

/** Codes at the beginnings of lines in the head comment, before a sentence. */
function definedIn(text: string): readonly string[] {
  const head = /^\/\*\*\n(?: \*.*\n)+/m.exec(text)?.[0] ?? '';
  const found = head.matchAll(/^ \* ([a-z]+(?:-[a-z]+)*-\d{1,2}) (?=[A-Z`])/gm);
  return [...found].map(([, code = '']) => code);
}

/** The word of `queue-5` is `queue`. Codes of letters have none. */
export function wordsOf(codes: Iterable<string>): ReadonlySet<string> {
  const words = [...codes].map((code) => /^([a-z-]+)-\d+$/.exec(code)?.[1]);
  return new Set(words.filter((word) => word !== undefined));
}
