/**
 * CEL that is true when `body` holds for each item of a list that passes `guard`.
 *
 * Not by `all`: while the API server counts what an expression costs (cel-go, `refValStack`), each round of it
 * searches what the rounds before have left, so that 5,000 items take seconds where this takes milliseconds.
 */
export function every(
  list: string,
  item: string,
  { guard, body }: { readonly guard?: string | undefined; readonly body: string },
): string {
  const passing = guard === undefined ? '' : `${guard}, `;
  return `!(false in ${list}.map(${item}, ${passing}${body}))`;
}

/**
 * Words that a list is searched for, only where the list is short: the API server evaluates them also where the
 * rule holds. Of a longer one `message` says what is wrong, and our own validator names the item.
 */
export function wordsWithin(list: string, words: string, message: string): string {
  return `size(${list}) <= ${mostSearched} ? ${words} : ${JSON.stringify(message)}`;
}

const mostSearched = 256;
