/**
 * Finds what comments and messages cite by number, and says which of it is defined nowhere.
 *
 * A citation is "law 3", "rules 5 to 8 and 14", "scenario 20", or a code of letters and digits, as
 * `Q5` is. Laws, rules, scenarios and the codes that are cited everywhere are defined on the page of
 * rules. Any other code belongs to one file: its head comment defines it, the test beside that file
 * may cite it, and everybody else names the file with it ("P3 of plan.ts").
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
  /** What the page itself defines. */
  readonly entries: ReadonlySet<string>;
  /** Letters of the codes that may be cited everywhere, and the file whose head comment defines them. */
  readonly families: ReadonlyMap<string, string>;
}

export function rulesPage(markdown: string): RulesPage {
  const entries = [
    ...markdown.matchAll(/^(?:- \*\*|\| )((?:Law|Rule|Scenario) \d+|[A-Z]+\d+)\b/gm),
  ];
  const families = [
    ...markdown.matchAll(/^\| ([A-Z]+)\d+(?: to [A-Z]+\d+)? *\| \[([^\]]+\.ts)\]/gm),
  ];
  const homes = families.map(([, letters = '', file = '']) => [letters, file] as const);
  const ofPage = entries.map(([, name = '']) => (name.includes(' ') ? name.toLowerCase() : name));
  const letters = new Set(homes.map(([first]) => first));
  return {
    entries: new Set(ofPage.filter((name) => !letters.has(lettersOf(name)))),
    families: new Map(homes),
  };
}

/** Between two words of a sentence that may go on in the next line of a comment. */
const gap = String.raw`(?: |\s*\n\s*(?:\*|//)? ?)`;
const more = (item: string) => `(?:(?:,${gap}and|,|${gap}and|${gap}to)${gap}${item})*`;
const code = String.raw`(?<![\w%:/#.\\-])[A-Z]{1,2}\d{1,2}(?![\w%/\\-]|\.\w|:\d)`;
const numbered = new RegExp(
  String.raw`\b(law|rule|scenario)s?${gap}(\d+${more(String.raw`\d+\b(?! ?(?:ms|s)\b)`)})`,
  'gi',
);
const codes = new RegExp(code, 'g');
const attributed = new RegExp(
  String.raw`(${code}${more(code)})${gap}of${gap}\`?([\w./-]+\.ts)\b`,
  'g',
);
/** Names of things that only look like codes. */
const noCodes: ReadonlySet<string> = new Set(['V8', 'RE2', 'PS1']);

export function citationsOf(file: string, text: string): readonly Citation[] {
  const at = (index: number, name: string): Citation => {
    return { file, line: text.slice(0, index).split('\n').length, name };
  };
  const ofNumbers = [...text.matchAll(numbered)].flatMap(({ 1: word = '', 2: list = '', index }) =>
    numbersIn(list).map((number) => at(index, `${word.toLowerCase()} ${number}`)),
  );
  const ofCodes = [...text.matchAll(codes)]
    .filter(([name]) => !noCodes.has(name))
    .map(({ 0: name, index }) => at(index, name));
  return [...ofNumbers, ...ofCodes];
}

/** A span is all the numbers in it. */
function numbersIn(list: string): readonly number[] {
  return [...list.matchAll(/(\d+)(?:\W+to\W+(\d+))?/g)].flatMap(([, from = '', to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
  );
}

/** Documents that nobody but their author has: to cite them is to cite nothing. */
const outside =
  /\bfacts(?:: JobFlow| \d| [A-Z]\d| section)|\bdesign section \d|\bdecision [A-D]\b/gi;

/** One line for each citation that nothing defines: `file:line: what`. */
export function unresolved(sources: Sources, page: RulesPage): readonly string[] {
  return [...sources].flatMap(([file, text]) => {
    const known = codesKnownTo(file, sources);
    const isDefined = (name: string) =>
      page.entries.has(name) || known.has(name) || isOfFamily(name, page, sources);
    const missing = citationsOf(file, text).filter(({ name }) => !isDefined(name));
    return [
      ...missing.map(({ line, name }) => `${file}:${line}: "${name}" is defined nowhere`),
      ...[...text.matchAll(outside)].map(
        ({ 0: cited, index }) =>
          `${file}:${text.slice(0, index).split('\n').length}: "${cited}" is not in this repository`,
      ),
    ];
  });
}

/** What the page defines and nobody cites. */
export function uncited(sources: Sources, page: RulesPage): readonly string[] {
  const cited = new Set(
    [...sources].flatMap(([file, text]) => citationsOf(file, text).map(({ name }) => name)),
  );
  return [...page.entries].filter((name) => !cited.has(name));
}

/** Codes of this file, of the one that it tests, and of those that it names together with the code. */
function codesKnownTo(file: string, sources: Sources): ReadonlySet<string> {
  const text = sources.get(file) ?? '';
  const named = [...text.matchAll(attributed)].flatMap(([, list = '', home = '']) => {
    const defined = definedIn(sources.get(pathOf(home, file, sources) ?? '') ?? '');
    return codesIn(list).filter((name) => defined.has(name));
  });
  const subject = subjectOf(file, sources);
  const tested = subject === undefined ? [] : definedIn(sources.get(subject) ?? '');
  return new Set([...definedIn(text), ...tested, ...named]);
}

function isOfFamily(name: string, { families }: RulesPage, sources: Sources): boolean {
  const home = families.get(lettersOf(name));
  return home !== undefined && definedIn(sources.get(home) ?? '').has(name);
}

/** Codes at the beginnings of lines in the head comment. */
export function definedIn(text: string): ReadonlySet<string> {
  const head = /^\/\*\*\n(?: \*.*\n)+/m.exec(text)?.[0] ?? '';
  return new Set([...head.matchAll(/^ \* ([A-Z]{1,2}\d{1,2}) /gm)].map(([, name = '']) => name));
}

/** A span is all the codes in it. */
function codesIn(list: string): readonly string[] {
  return [...list.matchAll(/([A-Z]+)(\d+)(?:\W+to\W+[A-Z]+(\d+))?/g)].flatMap(
    ([, letters = '', from = '', to = from]) =>
      numbersIn(`${from} to ${to}`).map((number) => `${letters}${number}`),
  );
}

/** A path may be given by its end; of several files with that end, the nearest one is meant. */
function pathOf(end: string, from: string, sources: Sources): string | undefined {
  const found = [...sources.keys()].filter((path) => path === end || path.endsWith(`/${end}`));
  const folder = from.split('/').slice(0, -1);
  const nearness = (path: string) => {
    const parts = path.split('/');
    const differs = folder.findIndex((part, index) => part !== parts[index]);
    return differs === -1 ? folder.length : differs;
  };
  return found.toSorted((one, other) => nearness(other) - nearness(one))[0];
}

/** Of `object-view-properties.test.ts` that is `object-view.ts` in the same folder. */
function subjectOf(file: string, sources: Sources): string | undefined {
  const name = /^(.*)\.test\.ts$/.exec(file)?.[1];
  if (name === undefined) return undefined;
  const words = name.split('-');
  const shorter = words.map((_, index) => words.slice(0, words.length - index).join('-'));
  return shorter.map((path) => `${path}.ts`).find((path) => sources.has(path));
}

function lettersOf(name: string): string {
  return name.replace(/\d+$/, '');
}
